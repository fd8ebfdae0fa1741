/** Creates instances and their first tasks, and reads who has the ids now. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { type Giving, givenRows, type RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import {
  INSTANCE,
  INSTANCE_IDS,
  instanceJson,
  select,
  TASK,
  UNLIMITED_ATTEMPTS,
} from "./tables.ts";

/** Absent keys are null; with `token` the new run is claimed at once. */
export interface NewInstanceRow {
  readonly instanceRowId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params?: string | undefined;
  readonly isClaimed: boolean;
  /** When the run is due, as an instant or so long after the database's time: one of them, or neither. */
  readonly startAt?: number;
  readonly startInMs?: number;
  /** The same of the deadline. */
  readonly deadlineAt?: number;
  readonly deadlineInMs?: number;
  readonly tags?: string;
  readonly memo?: string;
  readonly traceContext?: string;
}

export interface NewTaskRow {
  readonly instanceRowId: string;
  readonly taskRowId: string;
  readonly token?: string;
  readonly leaseMs?: number;
}

export interface InstanceKeyRow {
  readonly instanceRowId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  /** Absent: no other create has the row id. */
  readonly isKeyed: true | undefined;
}

const text = (name: string): JsonColumn => ({ name, type: "text" });

const TIMES = ["startAt", "startInMs", "deadlineAt", "deadlineInMs"] as const;
const SAID = ["tags", "memo", "traceContext"] as const;

/** Columns of the row of nearly every instance. */
export const PLAIN_INSTANCE: readonly JsonColumn[] = [
  ...["instanceRowId", "workflowName", "instanceId", "params"].map(text),
  { name: "isClaimed", type: "boolean" },
];

export const INSTANCE_COLUMNS: readonly JsonColumn[] = [
  ...PLAIN_INSTANCE,
  ...TIMES.map((name) => ({ name, type: "bigint" }) as const),
  ...SAID.map(text),
];

/** Ids that are taken are left alone. */
export const insertInstances: RowsStatement = {
  columns: INSTANCE_COLUMNS,
  text: (dialect, giving) =>
    `${newInstances(dialect, giving, INSTANCE_COLUMNS, "true")} on conflict ("workflowName", "instanceId") do nothing`,
};

/**
 * @param columns those of the rows; what is made of others is null
 * @param where condition on a row `c`. None is needed, but SQLite reads an `on conflict` behind a bare FROM as a join's
 */
export function newInstances(
  dialect: Dialect,
  giving: Giving,
  columns: readonly JsonColumn[],
  where: string,
): string {
  const { now, fromMs, plusMs } = dialect;
  const names = new Set(columns.map(({ name }) => name));
  const given = (name: string): string =>
    `coalesce(${fromMs(`c."${name}At"`)}, ${plusMs(now, `c."${name}InMs"`)})`;
  const start = given("start");
  const starts = names.has("startAt") ? ` when ${start} > ${now} then ${start}` : "";
  const inserted = [
    ["id", `c."instanceRowId"`],
    ["workflowName", `c."workflowName"`],
    ["instanceId", `c."instanceId"`],
    ["runNumber", "1"],
    ["status", `case when c."isClaimed" then 'running' else 'queued' end`],
    ["params", `c."params"`],
    ["pauseRequested", "false"],
    ["createdAt", now],
    ["updatedAt", now],
    ...(names.has("deadlineAt") ? [["deadlineAt", given("deadline")]] : []),
    ...SAID.filter((name) => names.has(name)).map((name) => [name, `c."${name}"`]),
    ["startedAt", `case when c."isClaimed" then ${now}${starts} end`],
  ];
  return (
    `insert into ${INSTANCE} (${inserted.map(([name]) => `"${name}"`).join(", ")}) ` +
    `select ${inserted.map(([, expression]) => expression).join(", ")} ` +
    `from ${givenRows(dialect, giving, columns)} where ${where}`
  );
}

/** Of a task, beside its instance. */
export const OWN_TASK_COLUMNS: readonly JsonColumn[] = [
  ...["taskRowId", "token"].map(text),
  { name: "leaseMs", type: "bigint" },
];

const TASK_COLUMNS: readonly JsonColumn[] = [text("instanceRowId"), ...OWN_TASK_COLUMNS];

/**
 * Tasks for the instances that have our row id: those just inserted, or inserted by an earlier try of this call whose
 * outcome was lost; of the latter only those that nobody has touched since get a task, and only if it is missing.
 */
export const insertTasks: RowsStatement = { columns: TASK_COLUMNS, text: newTasks };

function newTasks(dialect: Dialect, giving: Giving): string {
  const from =
    `${givenRows(dialect, giving, TASK_COLUMNS)} ` +
    `${dialect.joinEach(INSTANCE, "i", dialect.isKey(`i."id"`, `c."instanceRowId"`), INSTANCE_IDS)} ` +
    `where ${filter(`i."_version" = 0 and i."status" in ('queued', 'running')`)}`;
  const otherwise = ` on conflict ("workflowName", "instanceId", "runNumber") do nothing`;
  return insertTasksFrom(dialect, from + otherwise);
}

/** @param from FROM clause: rows `c`, and the instance `i` of each; then, what to do on a conflict */
export function insertTasksFrom(dialect: Dialect, from: string): string {
  const { now } = dialect;
  const claims = `case when c."token" is null then 0 else 1 end`;
  return (
    `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "claimNumber", "maxAttempts", "lockOwner", "lockedUntil", "createdAt", "updatedAt") ` +
    `select c."taskRowId", i."workflowName", i."instanceId", i."runNumber", 'run', 1, ` +
    `${dialect.least(`coalesce(i."startedAt", ${now})`, `i."deadlineAt"`)}, ` +
    `case when c."token" is null then 'pending' else 'processing' end, ` +
    `${claims}, ${claims}, ${UNLIMITED_ATTEMPTS}, c."token", ` +
    `${dialect.plusMs(now, `c."leaseMs"`)}, ${now}, ${now} ` +
    `from ${from}` +
    hint(dialect, TASK, `${TASK}."status" = 'pending'`, " returning ")
  );
}

/** What was to be created, as expressions. */
interface AskedFor {
  readonly instanceRowId: string;
  /** null: no other create has the row id. */
  readonly isKeyed: string;
}

/**
 * Select list of a `CreatedRow` from an instance `i`. One that this create has written, and nobody since, is not read: the caller
 * has given it.
 */
export const createdColumns = (dialect: Dialect, { instanceRowId, isKeyed }: AskedFor): string =>
  `${instanceRowId} as "instanceRowId", ${select(dialect, "i", ["createdAt", "startedAt", "deadlineAt"])}, ` +
  `case when i."id" = ${instanceRowId} and i."_version" = 0 and ${isKeyed} is null ` +
  `then null else ${instanceJson(dialect, "i")} end as "found"`;

export const IS_KEYED: JsonColumn = { name: "isKeyed", type: "boolean" };

const KEY_COLUMNS: readonly JsonColumn[] = [
  ...["instanceRowId", "workflowName", "instanceId"].map(text),
  IS_KEYED,
];

/** The instances that have the ids, ours or others', in no order. */
export const selectCreated: RowsStatement = {
  columns: KEY_COLUMNS,
  text: (dialect, giving) =>
    `select ${createdColumns(dialect, { instanceRowId: `c."instanceRowId"`, isKeyed: `c."isKeyed"` })} from ${givenRows(dialect, giving, KEY_COLUMNS)} ` +
    dialect.joinEach(
      INSTANCE,
      "i",
      isInstanceKey(dialect, {
        alias: "i",
        workflowName: `c."workflowName"`,
        instanceId: `c."instanceId"`,
      }),
    ),
};

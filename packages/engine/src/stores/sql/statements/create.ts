/** Creates instances and their first tasks, and reads which instances have the ids now. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { OTHER_PARAMS } from "../../../ports/create.ts";
import { SMALL_PAYLOAD_BYTES } from "../../../ports/pages.ts";
import { type Giving, givenRows, type RowsStatement, type SingleStatement } from "./given-rows.ts";
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

/** Absent keys are null. With `token`, the new run is claimed at once. */
export interface NewInstanceRow {
  readonly instanceRowId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params?: string | undefined;
  readonly isClaimed: boolean;
  /** When the run is due: an instant, or a duration after the database's time, or neither. */
  readonly startAt?: number;
  readonly startInMs?: number;
  /** The same for the deadline. */
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
  /** The size of the params of one of many; absent: the whole instance is read. */
  readonly paramsBytes?: number | undefined;
}

const text = (name: string): JsonColumn => ({ name, type: "text" });

const TIMES = ["startAt", "startInMs", "deadlineAt", "deadlineInMs"] as const;
const SAID = ["tags", "memo", "traceContext"] as const;

/** The columns that nearly every instance has. */
export const PLAIN_INSTANCE: readonly JsonColumn[] = [
  ...["instanceRowId", "workflowName", "instanceId", "params"].map(text),
  { name: "isClaimed", type: "boolean" },
];

export const INSTANCE_COLUMNS: readonly JsonColumn[] = [
  ...PLAIN_INSTANCE,
  ...TIMES.map((name) => ({ name, type: "bigint" }) as const),
  ...SAID.map(text),
];

/** Leaves ids that are taken alone. */
export const insertInstances: RowsStatement = {
  columns: INSTANCE_COLUMNS,
  text: (dialect, giving) =>
    `${newInstances(dialect, giving, INSTANCE_COLUMNS, "true")} on conflict ("workflowName", "instanceId") do nothing`,
};

/** Fails if the id is taken. */
export const insertNewInstance: SingleStatement = {
  columns: INSTANCE_COLUMNS,
  text: (dialect) => newInstances(dialect, "single", INSTANCE_COLUMNS, "true"),
};

/**
 * @param columns of the rows; all others are null
 * @param where condition on a row `c`. It must exist, because SQLite reads an `on conflict` after a bare FROM as a join condition
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

/** The columns of a task, besides those of its instance. */
export const OWN_TASK_COLUMNS: readonly JsonColumn[] = [
  ...["taskRowId", "token"].map(text),
  { name: "leaseMs", type: "bigint" },
];

const TASK_COLUMNS: readonly JsonColumn[] = [text("instanceRowId"), ...OWN_TASK_COLUMNS];

/**
 * Creates tasks for the instances with our row ids: those just inserted, or inserted by an earlier try of this call whose
 * answer was lost. The latter get a task only if it is missing and nobody has touched the instance since.
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

/** @param from FROM clause with rows `c` and the instance `i` of each, followed by what to do on a conflict */
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

/** The instance that was to be created, as expressions. */
interface CreatedColumns {
  readonly instanceRowId: string;
  /** null: no other create has the row id. */
  readonly isKeyed: string;
  /** null: the whole instance is read. @default it is */
  readonly paramsBytes?: string;
}

/**
 * Select list of a `CreatedRow` from an instance `i`. If this create has written the instance and nobody has changed it since,
 * it is not read, because the caller knows it.
 */
export const createdColumns = (
  dialect: Dialect,
  { instanceRowId, isKeyed, paramsBytes }: CreatedColumns,
): string =>
  `${instanceRowId} as "instanceRowId", ${select(dialect, "i", ["createdAt", "startedAt", "deadlineAt"])}, ` +
  `case when i."id" = ${instanceRowId} and i."_version" = 0 and ${isKeyed} is null then null ` +
  (paramsBytes === undefined
    ? ""
    : `when ${paramsBytes} is not null then ${foundOfBatch(dialect, paramsBytes)} `) +
  `else ${instanceJson(dialect, "i")} end as "found"`;

/** A `FoundInstanceRow` without a large output, and without params that are larger than those asked for. */
function foundOfBatch(dialect: Dialect, paramsBytes: string): string {
  const outputBytes = dialect.byteLength(`i."output"`);
  const isSmall = `${outputBytes} <= ${SMALL_PAYLOAD_BYTES}`;
  const isOther = `${dialect.byteLength(`i."params"`)} > ${paramsBytes}`;
  return instanceJson(dialect, "i", {
    params: `case when ${isOther} then '${OTHER_PARAMS}' else i."params" end`,
    output: `case when ${isSmall} then i."output" end`,
    omittedBytes: `case when not ${isSmall} then ${outputBytes} end`,
  });
}

export const IS_KEYED: JsonColumn = { name: "isKeyed", type: "boolean" };

const KEY_COLUMNS: readonly JsonColumn[] = [
  ...["instanceRowId", "workflowName", "instanceId"].map(text),
  IS_KEYED,
  { name: "paramsBytes", type: "bigint" },
];

const GIVEN: CreatedColumns = {
  instanceRowId: `c."instanceRowId"`,
  isKeyed: `c."isKeyed"`,
  paramsBytes: `c."paramsBytes"`,
};

/** The instances that have the ids, created by us or by others, in no order. */
export const selectCreated: RowsStatement = {
  columns: KEY_COLUMNS,
  text: (dialect, giving) =>
    `select ${createdColumns(dialect, GIVEN)} from ${givenRows(dialect, giving, KEY_COLUMNS)} ` +
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

/** Creates instances and their first tasks, and reads who has the ids now. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { type Giving, givenRows, type RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, instanceColumns, TASK, UNLIMITED_ATTEMPTS, INSTANCE_IDS } from "./tables.ts";

/** Absent keys are null; with `token` the new run is claimed at once. */
export interface NewInstanceRow {
  readonly instanceRowId: string;
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params?: string;
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
  readonly workflowName: string;
  readonly instanceId: string;
}

const text = (name: string): JsonColumn => ({ name, type: "text" });

const INSTANCE_COLUMNS: readonly JsonColumn[] = [
  ...["instanceRowId", "workflowName", "instanceId", "params"].map(text),
  { name: "isClaimed", type: "boolean" },
  ...["startAt", "startInMs", "deadlineAt", "deadlineInMs"].map((name): JsonColumn => ({
    name,
    type: "bigint",
  })),
  ...["tags", "memo", "traceContext"].map(text),
];

/** Ids that are taken are left alone. */
export const insertInstances: RowsStatement = { columns: INSTANCE_COLUMNS, text: newInstances };

function newInstances(dialect: Dialect, giving: Giving): string {
  const { now, fromMs, plusMs } = dialect;
  const given = (name: string): string =>
    `coalesce(${fromMs(`c."${name}At"`)}, ${plusMs(now, `c."${name}InMs"`)})`;
  const start = given("start");
  return (
    `insert into ${INSTANCE} ("id", "workflowName", "instanceId", "runNumber", "status", "params", ` +
    `"pauseRequested", "createdAt", "updatedAt", "deadlineAt", "tags", "memo", "traceContext", "startedAt") ` +
    `select c."instanceRowId", c."workflowName", c."instanceId", 1, ` +
    `case when c."isClaimed" then 'running' else 'queued' end, c."params", false, ${now}, ${now}, ` +
    `${given("deadline")}, c."tags", c."memo", c."traceContext", case when c."isClaimed" then ${now} when ${start} > ${now} then ${start} end ` +
    `from ${givenRows(dialect, giving, INSTANCE_COLUMNS)} where true ` +
    `on conflict ("workflowName", "instanceId") do nothing`
  );
}

const TASK_COLUMNS: readonly JsonColumn[] = [
  ...["instanceRowId", "taskRowId", "token"].map(text),
  { name: "leaseMs", type: "bigint" },
];

/**
 * Tasks for the instances that have our row id: those just inserted, or inserted by an earlier try of this call whose
 * outcome was lost; of the latter only those that nobody has touched since get a task, and only if it is missing.
 */
export const insertTasks: RowsStatement = { columns: TASK_COLUMNS, text: newTasks };

function newTasks(dialect: Dialect, giving: Giving): string {
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
    `from ${givenRows(dialect, giving, TASK_COLUMNS)} ` +
    `${dialect.joinEach(INSTANCE, "i", dialect.isKey(`i."id"`, `c."instanceRowId"`), INSTANCE_IDS)} ` +
    `where ${filter(`i."_version" = 0 and i."status" in ('queued', 'running')`)} ` +
    `on conflict ("workflowName", "instanceId", "runNumber") do nothing` +
    hint(dialect, TASK, `${TASK}."status" = 'pending'`, " returning ")
  );
}

const KEY_COLUMNS: readonly JsonColumn[] = ["workflowName", "instanceId"].map(text);

/** The instances that have the ids, ours or others', in no order. */
export const selectCreated: RowsStatement = {
  columns: KEY_COLUMNS,
  text: (dialect, giving) =>
    `select ${instanceColumns(dialect, "i")} from ${givenRows(dialect, giving, KEY_COLUMNS)} ` +
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

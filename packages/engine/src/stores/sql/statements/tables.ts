/** Names of the tables and the select lists of their records. Every instant is read as epoch milliseconds. */
import type { Dialect } from "@escapement/db";
import { INSTANCE, isInstanceKey } from "./instance-key.ts";

export { INSTANCE };

export const STEP = `"workflow_step_workflows"`;

/** What SQLite calls the index that comes with the unique row id of instances. */
export const INSTANCE_IDS = "sqlite_autoindex_workflow_instance_workflows_1";

/** Index of steps by their key; it begins with the run. */
export const UNIQUE_STEP = "unique_step_workflow_step_workflows";

export const EVENT = `"workflow_event_workflows"`;
export const TASK = `"workflow_task_workflows"`;

/** `tasks.maxAttempts`: a run is never given up because its runners were lost. */
export const UNLIMITED_ATTEMPTS = 2_147_483_647;

/** `alias.workflowName = …` and so on: the rows that belong to the same run. */
export const sameRun = (a: string, b: string): string =>
  `${a}."workflowName" = ${b}."workflowName" and ${a}."instanceId" = ${b}."instanceId" and ${a}."runNumber" = ${b}."runNumber"`;

/** `i` is the instance of the run that `alias` belongs to, which is its present run. */
export function instanceOf(dialect: Dialect, alias: string): string {
  const key = { workflowName: `${alias}."workflowName"`, instanceId: `${alias}."instanceId"` };
  return `${isInstanceKey(dialect, { alias: "i", ...key })} and i."runNumber" = ${alias}."runNumber"`;
}

const INSTANTS = new Set([
  "createdAt",
  "updatedAt",
  "startedAt",
  "completedAt",
  "nextRetryAt",
  "wakeAt",
  "deliveredAt",
]);

const INSTANCE_COLUMNS = [
  "id",
  "workflowName",
  "instanceId",
  "runNumber",
  "status",
  "params",
  "output",
  "errorName",
  "errorMessage",
  "errorDetail",
  "pauseRequested",
  "createdAt",
  "updatedAt",
  "startedAt",
  "completedAt",
];

const STEP_COLUMNS = [
  "id",
  "stepKey",
  "name",
  "type",
  "status",
  "attempts",
  "lostAttempts",
  "maxAttempts",
  "timeoutMs",
  "nextRetryAt",
  "wakeAt",
  "waitEventType",
  "result",
  "errorName",
  "errorMessage",
  "errorDetail",
  "settledOrder",
  "createdAt",
  "updatedAt",
];

const EVENT_COLUMNS = [
  "_internalId",
  "id",
  "type",
  "payload",
  "createdAt",
  "deliveredAt",
  "consumedByStepKey",
];

/** Select lists without the payload, which pages read only where it is shown. */
const without = (columns: readonly string[], ...left: readonly string[]): readonly string[] =>
  columns.filter((column) => !left.includes(column));

/** Columns of pages, as they are in the table. */
export const PAGE_COLUMNS: Readonly<Record<"instance" | "step" | "event", readonly string[]>> = {
  instance: without(INSTANCE_COLUMNS, "params", "output"),
  step: [...without(STEP_COLUMNS, "result"), "_version"],
  event: without(EVENT_COLUMNS, "payload"),
};

/** Select list of columns out of a subquery that has them as the table does. */
export const select = (dialect: Dialect, alias: string, columns: readonly string[]): string =>
  columns
    .map((column) => {
      const source = `${alias}."${column}"`;
      if (column === "_version") return `${source} as "version"`;
      return INSTANTS.has(column) ? `${dialect.toMs(source)} as "${column}"` : source;
    })
    .join(", ");

/** Select list of an `InstanceRow`. */
export const instanceColumns = (dialect: Dialect, alias: string): string =>
  select(dialect, alias, INSTANCE_COLUMNS);

/**
 * Select list of a `HistoryRow` from a step `s`. What is not needed of a completed `do` step is null in `rest`: a long history
 * is read whole at every claim, and nearly all of it is that.
 */
export const historyColumns = (dialect: Dialect): string =>
  `s."stepKey", s."settledOrder", s."startedKeys", s."result", ` +
  `case when s."status" = 'completed' and s."type" = 'do' then null else ${openStepJson(dialect)} end as "rest"`;

/** What `rest` is in a row that is no step: others follow behind this row. */
export const goOnAfter = (dialect: Dialect, id: string): string =>
  dialect.jsonObject({ goOnAfter: id });

const openStepJson = (dialect: Dialect): string => {
  const beside = new Set(["stepKey", "settledOrder", "result"]);
  const columns = STEP_COLUMNS.filter((column) => !beside.has(column));
  const toExpression = (column: string): string => {
    const source = `s."${column}"`;
    return INSTANTS.has(column) ? dialect.toMs(source) : source;
  };
  return dialect.jsonObject({
    ...Object.fromEntries(columns.map((column) => [column, toExpression(column)])),
    version: `s."_version"`,
  });
};

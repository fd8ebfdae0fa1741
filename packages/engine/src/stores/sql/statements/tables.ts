/** The names of the tables and the select lists of their records. Every instant is read as epoch milliseconds. */
import type { Dialect } from "@escapement/db/client";
import { SCOPE_TYPES } from "../../../core/model/status.ts";
import { COLUMN_NAMES, toColumn, without } from "../columns.ts";
import { INSTANCE, isInstanceKey } from "./instance-key.ts";

export { INSTANCE };

export const STEP = `"workflow_step_workflows"`;

/** SQLite's name of the index for the unique row id of instances. */
export const INSTANCE_IDS = "sqlite_autoindex_workflow_instance_workflows_1";

/** The index of steps by their key, which begins with the run. */
export const UNIQUE_STEP = "unique_step_workflow_step_workflows";

export const EVENT = `"workflow_event_workflows"`;
export const TASK = `"workflow_task_workflows"`;

export const TOPIC = `"workflow_topic_workflows"`;
export const MESSAGE = `"workflow_message_workflows"`;
export const TOPIC_WAIT = `"workflow_topic_wait_workflows"`;

export const PROGRESS = `"workflow_progress_workflows"`;

/** The value of `tasks.maxAttempts`: no run is given up because of this column. */
export const UNLIMITED_ATTEMPTS = 2_147_483_647;

/** `alias.workflowName = …` and so on: the rows of the same run. */
export const sameRun = (a: string, b: string): string =>
  `${a}."workflowName" = ${b}."workflowName" and ${a}."instanceId" = ${b}."instanceId" and ${a}."runNumber" = ${b}."runNumber"`;

const SCOPES = SCOPE_TYPES.map((type) => `'${type}'`).join(", ");

/** Condition: the step is a scope. */
export const isScope = (alias: string): string => `${alias}."type" in (${SCOPES})`;

/** `i` is the instance of the run that `alias` belongs to, and this is its current run. */
export function instanceOf(dialect: Dialect, alias: string): string {
  const key = { workflowName: `${alias}."workflowName"`, instanceId: `${alias}."instanceId"` };
  return `${isInstanceKey(dialect, { alias: "i", ...key })} and i."runNumber" = ${alias}."runNumber"`;
}

/** The members of rows of pages, without the payload, which pages only read if it is shown. */
export const PAGE_COLUMNS: typeof COLUMN_NAMES = {
  instance: without(COLUMN_NAMES.instance, "params", "output"),
  step: without(COLUMN_NAMES.step, "result"),
  event: without(COLUMN_NAMES.event, "payload"),
};

/** The expression that reads a member of a row. */
const read = (dialect: Dialect, alias: string, member: string): string => {
  const source = `${alias}."${toColumn(member)}"`;
  return member.endsWith("At") ? dialect.toMs(source) : source;
};

/** Select list of a row's members, from an alias that has their columns. */
export const select = (dialect: Dialect, alias: string, members: readonly string[]): string =>
  members.map((member) => `${read(dialect, alias, member)} as "${member}"`).join(", ");

/** Select list of an `InstanceRow`. */
export const instanceColumns = (dialect: Dialect, alias: string): string =>
  select(dialect, alias, COLUMN_NAMES.instance);

/** An `InstanceRow` as JSON text. @param instead expressions for members, also for those that are no columns */
export const instanceJson = (
  dialect: Dialect,
  alias: string,
  instead: Readonly<Record<string, string>> = {},
): string => toJson(dialect, alias, COLUMN_NAMES.instance, instead);

/**
 * Select list of a `HistoryRow` from a step `s`. For a completed `do` step, `rest` has only its `startedKeys`; for other settled
 * steps, only what is needed. A long history is read completely at every claim, and nearly all of it is such steps, so each
 * column takes time.
 */
export const historyColumns = (dialect: Dialect): string =>
  `s."stepKey", s."settledOrder", ${dialect.toMs(`s."updatedAt"`)} as "updatedAt", s."result", ` +
  `case when s."status" = 'completed' and s."type" = 'do' then s."startedKeys" ` +
  `when s."settledOrder" is not null then ${toJson(dialect, "s", SETTLED)} else ${toJson(dialect, "s", OPEN)} end as "rest"`;

/** The `rest` of a row that is not a step: more steps follow after this row. */
export const goOnAfter = (dialect: Dialect, id: string): string =>
  dialect.jsonObject({ goOnAfter: id });

const OPEN = without(COLUMN_NAMES.step, "stepKey", "settledOrder", "updatedAt", "result");
const SETTLED = [
  "type",
  "status",
  "attempts",
  "startedKeys",
  "errorName",
  "errorMessage",
  "errorDetail",
];

const toJson = (
  dialect: Dialect,
  alias: string,
  members: readonly string[],
  instead: Readonly<Record<string, string>> = {},
): string =>
  dialect.jsonObject({
    ...Object.fromEntries(members.map((member) => [member, read(dialect, alias, member)])),
    ...instead,
  });

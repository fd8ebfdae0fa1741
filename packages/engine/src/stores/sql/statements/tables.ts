/** Names of the tables and the select lists of their records. Every instant is read as epoch milliseconds. */
import type { Dialect } from "@escapement/db/client";
import { SCOPE_TYPES } from "../../../core/model/status.ts";
import { COLUMN_NAMES, toColumn } from "../columns.ts";
import { INSTANCE, isInstanceKey } from "./instance-key.ts";

export { INSTANCE };

export const STEP = `"workflow_step_workflows"`;

/** What SQLite calls the index that comes with the unique row id of instances. */
export const INSTANCE_IDS = "sqlite_autoindex_workflow_instance_workflows_1";

/** Index of steps by their key; it begins with the run. */
export const UNIQUE_STEP = "unique_step_workflow_step_workflows";

export const EVENT = `"workflow_event_workflows"`;
export const TASK = `"workflow_task_workflows"`;

export const TOPIC = `"workflow_topic_workflows"`;
export const MESSAGE = `"workflow_message_workflows"`;
export const TOPIC_WAIT = `"workflow_topic_wait_workflows"`;

export const PROGRESS = `"workflow_progress_workflows"`;

/** `tasks.maxAttempts`: a run is never given up because its runners were lost. */
export const UNLIMITED_ATTEMPTS = 2_147_483_647;

/** `alias.workflowName = …` and so on: the rows that belong to the same run. */
export const sameRun = (a: string, b: string): string =>
  `${a}."workflowName" = ${b}."workflowName" and ${a}."instanceId" = ${b}."instanceId" and ${a}."runNumber" = ${b}."runNumber"`;

const SCOPES = SCOPE_TYPES.map((type) => `'${type}'`).join(", ");

/** Condition: a step has steps of its own. */
export const isScope = (alias: string): string => `${alias}."type" in (${SCOPES})`;

/** `i` is the instance of the run that `alias` belongs to, which is its present run. */
export function instanceOf(dialect: Dialect, alias: string): string {
  const key = { workflowName: `${alias}."workflowName"`, instanceId: `${alias}."instanceId"` };
  return `${isInstanceKey(dialect, { alias: "i", ...key })} and i."runNumber" = ${alias}."runNumber"`;
}

/** Select lists without the payload, which pages read only where it is shown. */
const without = (columns: readonly string[], ...left: readonly string[]): readonly string[] =>
  columns.filter((column) => !left.includes(column));

/** Members of the rows of pages. */
export const PAGE_COLUMNS: typeof COLUMN_NAMES = {
  instance: without(COLUMN_NAMES.instance, "params", "output"),
  step: without(COLUMN_NAMES.step, "result"),
  event: without(COLUMN_NAMES.event, "payload"),
};

/** What a member of a row is read as. */
const read = (dialect: Dialect, alias: string, member: string): string => {
  const source = `${alias}."${toColumn(member)}"`;
  return member.endsWith("At") ? dialect.toMs(source) : source;
};

/** Select list of a row's members out of what has their columns. */
export const select = (dialect: Dialect, alias: string, members: readonly string[]): string =>
  members.map((member) => `${read(dialect, alias, member)} as "${member}"`).join(", ");

/** Select list of an `InstanceRow`. */
export const instanceColumns = (dialect: Dialect, alias: string): string =>
  select(dialect, alias, COLUMN_NAMES.instance);

/** An `InstanceRow` as JSON text. */
export const instanceJson = (dialect: Dialect, alias: string): string =>
  toJson(dialect, alias, COLUMN_NAMES.instance);

/**
 * Select list of a `HistoryRow` from a step `s`. What is not needed of a completed `do` step is null in `rest`, and what is not
 * needed of another one that has ended is not in it: a long history is read whole at every claim, and nearly all of it is that.
 */
export const historyColumns = (dialect: Dialect): string =>
  `s."stepKey", s."settledOrder", s."startedKeys", ${dialect.toMs(`s."updatedAt"`)} as "updatedAt", s."result", ` +
  `case when s."status" = 'completed' and s."type" = 'do' then null ` +
  `when s."settledOrder" is not null then ${toJson(dialect, "s", SETTLED)} else ${toJson(dialect, "s", OPEN)} end as "rest"`;

/** What `rest` is in a row that is no step: others follow behind this row. */
export const goOnAfter = (dialect: Dialect, id: string): string =>
  dialect.jsonObject({ goOnAfter: id });

const OPEN = without(COLUMN_NAMES.step, "stepKey", "settledOrder", "updatedAt", "result");
const SETTLED = ["type", "status", "attempts", "errorName", "errorMessage", "errorDetail"];

const toJson = (dialect: Dialect, alias: string, members: readonly string[]): string =>
  dialect.jsonObject(
    Object.fromEntries(members.map((member) => [member, read(dialect, alias, member)])),
  );

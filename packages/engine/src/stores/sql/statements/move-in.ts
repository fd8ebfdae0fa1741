/**
 * @module Imports instances from another store. They are staged under names that no workflow has, so no call finds them and no
 * claim takes them. At the end, all of them get the names of their workflows. Loaded with the first import.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { COLUMN_NAMES, toColumn } from "../columns.ts";
import { columnOf } from "../step-columns.ts";
import { type Giving, givenRows, type RowsStatement } from "./given-rows.ts";
import { isInstanceKey, UNIQUE_INSTANCE } from "./instance-key.ts";
import { ENTRY_COLUMNS, MOVED_ALONG } from "./moved-members.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, PROGRESS, STEP, TOPIC, TOPIC_WAIT, UNIQUE_STEP } from "./tables.ts";

const text = (name: string): JsonColumn => ({ name, type: "text" });
const number = (name: string): JsonColumn => ({ name, type: "bigint" });

/** The staged columns that are numbers; instants end in `At`. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...COLUMN_NAMES.step.filter((name) => columnOf(name).type === "bigint"),
  "runNumber",
  "parentRunNumber",
  "retryCount",
  "keyNumber",
  "_version",
  "sizeBytes",
  "place",
  "sequence",
  "attempt",
  "totalBytes",
]);

const toColumns = (names: readonly string[]): readonly JsonColumn[] =>
  names.map((name) => (name.endsWith("At") || NUMBERS.has(name) ? number(name) : text(name)));

const KEY = ["id", "workflowName", "instanceId", "runNumber"];

/** What no store gives to another: the place of a row in its own database, and what no exported instance has. */
const LEFT_BEHIND: ReadonlySet<string> = new Set(["_internalId", "pauseRequested"]);

/** The columns of the key and others, each once. */
const staging = (...names: readonly string[]): readonly string[] =>
  [...new Set([...KEY, ...names.map(toColumn)])].filter((name) => !LEFT_BEHIND.has(name));

const STAGED_INSTANCE = staging(...COLUMN_NAMES.instance, ...MOVED_ALONG.instance, "version");
const STAGED_STEP = staging(...COLUMN_NAMES.step, ...MOVED_ALONG.step);
const STAGED_EVENT = staging(...COLUMN_NAMES.event, ...MOVED_ALONG.event, "sizeBytes");
const STAGED_ENTRY = staging(...ENTRY_COLUMNS, "sizeBytes", "totalBytes");

/** Columns that are the same in every row. */
type Constants = Readonly<Record<string, string>>;

/** Inserts rows in the order of their `place`, so that the database numbers them in that order. Existing rows are left alone. */
const insertStaged = (
  table: string,
  names: readonly string[],
  constants: Constants = {},
): RowsStatement => {
  const columns = toColumns([...names, "place"]);
  return {
    columns,
    text: (dialect: Dialect, giving: Giving): string => {
      const all = [...names, ...Object.keys(constants)].map((name) => `"${name}"`).join(", ");
      const values = [
        ...names.map((name) => toValue(dialect, name)),
        ...Object.values(constants),
      ].join(", ");
      return (
        `insert into ${table} (${all}) select ${values} from ${givenRows(dialect, giving, columns)} ` +
        `where true order by c."place" on conflict do nothing`
      );
    },
  };
};

const toValue = (dialect: Dialect, name: string): string =>
  name.endsWith("At") ? dialect.fromMs(`c."${name}"`) : `c."${name}"`;

export const stageInstances: RowsStatement = insertStaged(INSTANCE, STAGED_INSTANCE, {
  pauseRequested: "false",
});
export const stageSteps: RowsStatement = insertStaged(STEP, STAGED_STEP);
export const stageEvents: RowsStatement = insertStaged(EVENT, STAGED_EVENT);
export const stageEntries: RowsStatement = insertStaged(PROGRESS, STAGED_ENTRY, {
  token: "'import'",
  commitNumber: "1",
});

const NAME_COLUMNS = [text("staged"), text("name")];

/** FROM item `c`: parameter 1, the staged names of workflows, each with the real name. */
const names = (dialect: Dialect): string => dialect.jsonRows(dialect.param(1), "c", NAME_COLUMNS);

const isStaged = (dialect: Dialect, column: string): string =>
  dialect.isKeyAmong(column, `select c."staged" from ${names(dialect)}`);

/** Indexes that begin with the workflow. */
const BY_WORKFLOW: ReadonlyMap<string, string> = new Map([
  [INSTANCE, UNIQUE_INSTANCE],
  [STEP, UNIQUE_STEP],
  [EVENT, "idx_history_workflow_event_workflows"],
  [PROGRESS, "unique_sequence_workflow_progress_workflows"],
]);

/**
 * FROM item: the names, and `s`, the staged rows of a table. Uses the index whatever the statistics say: with few workflows,
 * they suggest that a name has so many rows that the whole table may as well be read.
 */
const staged = (dialect: Dialect, table: string): string =>
  `${names(dialect)} ${dialect.joinEach(table, "s", `s."workflowName" = c."staged"`, BY_WORKFLOW.get(table))}`;

/** Condition: the row of the table is staged. */
const isOfStaged = (dialect: Dialect, table: string): string =>
  dialect.isKeyAmong(`"id"`, `select s."id" from ${staged(dialect, table)}`);

const taken = (dialect: Dialect): string => {
  const key = { workflowName: `c."name"`, instanceId: `s."instanceId"` };
  const isTaken =
    dialect.name === "sqlite"
      ? `e."workflowName" = c."name" and e."instanceId" = s."instanceId"`
      : isInstanceKey(dialect, { alias: "e", ...key });
  return `from ${staged(dialect, INSTANCE)} ${dialect.joinEach(INSTANCE, "e", isTaken, UNIQUE_INSTANCE)}`;
};

/** Parameter: names. Row: an instance that has the id of a staged one. */
export const selectTaken = (dialect: Dialect): string =>
  `select e."workflowName", e."instanceId" ${taken(dialect)} limit 1`;

/** The workflow's own name. */
const ownName = (dialect: Dialect, table: string, column: string = "workflowName"): string =>
  `(select c."name" from ${names(dialect)} where c."staged" = ${table}."${column}")`;

/**
 * Parameters: names, row id of the root, then the numbers of instances, steps, events and entries. Moves all or none. Rows: one
 * for each.
 */
export function moveInstances(dialect: Dialect): string {
  const count = (table: string, position: number): string =>
    `(select count(*) from ${staged(dialect, table)}) = ${dialect.param(position)}`;
  const isRootThere =
    `exists (select 1 from ${INSTANCE} as r where r."id" = ${dialect.param(2)} ` +
    `and ${isStaged(dialect, `r."workflowName"`)})`;
  const counts = [INSTANCE, STEP, EVENT, PROGRESS].map((table, index) => count(table, index + 3));
  return (
    `update ${INSTANCE} set "workflowName" = ${ownName(dialect, INSTANCE)}, ` +
    `"parentWorkflowName" = ${ownName(dialect, INSTANCE, "parentWorkflowName")} where ${isOfStaged(dialect, INSTANCE)} ` +
    `and ${isRootThere} and not exists (select 1 ${taken(dialect)}) and ${counts.join(" and ")} returning "id"`
  );
}

/** Condition, after `moveInstances`: it has moved them. Parameter: row id of the root. */
const isMoved = (dialect: Dialect): string =>
  `exists (select 1 from ${INSTANCE} as r where r."id" = ${dialect.param(2)} ` +
  `and not ${isStaged(dialect, `r."workflowName"`)})`;

/** Parameters: names, row id of the root. */
const moveParts =
  (table: string) =>
  (dialect: Dialect): string =>
    `update ${table} set "workflowName" = ${ownName(dialect, table)} ` +
    `where ${isOfStaged(dialect, table)} and ${isMoved(dialect)}`;

export const moveSteps: (dialect: Dialect) => string = moveParts(STEP);
export const moveEvents: (dialect: Dialect) => string = moveParts(EVENT);
export const moveEntries: (dialect: Dialect) => string = moveParts(PROGRESS);

const MARK_COLUMNS = [text("stepId"), text("eventId")];

/** Parameters: names, row id of the root, steps with events. Gives each open wait the sequence that its event has in this store. */
export function markEvents(dialect: Dialect): string {
  const given = dialect.jsonRows(dialect.param(3), "g", MARK_COLUMNS);
  const sequence =
    `select cast(e."_internalId" as text) from ${given} ` +
    `${dialect.joinEach(EVENT, "e", dialect.isKey(`e."id"`, `g."eventId"`))} where g."stepId" = ${STEP}."id"`;
  return (
    `update ${STEP} set "result" = coalesce((${sequence}), '0') ` +
    `where ${dialect.isKeyAmong(`"id"`, `select g."stepId" from ${given}`)} and ${filter(`"status" = 'waiting'`)} and ${isMoved(dialect)}`
  );
}

const TOPIC_COLUMNS = [text("stepId"), text("topic")];

/** Parameters: names, row id of the root, steps with topics. The topics are locked. */
export function insertMovedWaits(dialect: Dialect): string {
  const given = dialect.jsonRows(dialect.param(3), "g", TOPIC_COLUMNS);
  return (
    `insert into ${TOPIC_WAIT} ("id", "topic", "sequence", "workflowName", "instanceId", "runNumber", "stepKey") ` +
    `select s."id", o."name", o."sequence", s."workflowName", s."instanceId", s."runNumber", s."stepKey" from ${given} ` +
    `${dialect.joinEach(STEP, "s", dialect.isKey(`s."id"`, `g."stepId"`))} ` +
    `${dialect.joinEach(TOPIC, "o", dialect.isKey(`o."name"`, `g."topic"`))} ` +
    `where ${filter(`s."status" = 'waiting'`)} and ${isMoved(dialect)} on conflict do nothing`
  );
}

/** Parameter: names. */
const discard =
  (table: string) =>
  (dialect: Dialect): string =>
    `delete from ${table} where ${isOfStaged(dialect, table)}`;

export const discardInstances: (dialect: Dialect) => string = discard(INSTANCE);
export const discardSteps: (dialect: Dialect) => string = discard(STEP);
export const discardEvents: (dialect: Dialect) => string = discard(EVENT);
export const discardEntries: (dialect: Dialect) => string = discard(PROGRESS);

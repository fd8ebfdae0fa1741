/** @module Instances that ended long enough ago: found, deleted with their families, emptied. Loaded with the first purge. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { RETAIN_CHUNK } from "../../../ports/retain.ts";
import { type DeleteStatements, deletesOf } from "./delete.ts";
import { isInstanceKey } from "./instance-key.ts";
import { CHILDREN } from "./leave-children.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, PROGRESS, STEP, TOPIC_WAIT, UNIQUE_STEP } from "./tables.ts";

/** Indexes that begin with the instance. */
const EVENTS_OF_RUN = "idx_history_workflow_event_workflows";
const PROGRESS_IN_ORDER = "unique_sequence_workflow_progress_workflows";

/**
 * A walk along the instances of a workflow that ended in one way, by their creation: nobody ends before. Parameters: workflow, status, the
 * position that it goes on behind, and how long instances stay. Rows: those that it looked at, in order. What they weigh is
 * counted of those that are to go.
 */
export function findExpired(dialect: Dialect): string {
  const [workflowName, status, at, id] = [1, 2, 3, 4].map(dialect.param);
  const before = dialect.plusMs(dialect.now, `-cast(${dialect.param(5)} as bigint)`);
  const from = dialect.fromMs(`cast(${at} as bigint)`);
  const isDue = `r."completedAt" < ${before} and not ${isHeld(dialect, "r")}`;
  const looked =
    `select r."id", r."workflowName", r."instanceId", ${dialect.toMs(`r."createdAt"`)} as "at", ` +
    `case when ${isDue} then 1 else 0 end as "isDue" from ${INSTANCE} as r where r."workflowName" = ${workflowName} ` +
    `${inRange(dialect, { status: String(status), from, before })} and (r."createdAt" <> ${from} or r."id" > ${id}) ` +
    `order by ${dialect.name === "postgres" ? `r."status", ` : ""}r."createdAt", r."id" limit ${RETAIN_CHUNK.looked}`;
  const weight = `${countOf(dialect, STEPS)} + ${countOf(dialect, EVENTS)} + ${countOf(dialect, ENTRIES)}`;
  const whereDue = (count: string): string => `case when l."isDue" = 1 then ${count} end`;
  return (
    `with looked as materialized (${looked}) select l."id", l."instanceId", l."at", l."isDue", ` +
    `${whereDue(weight)} as "rowCount", ${whereDue(countOf(dialect, OFFSPRING))} as "childCount", ` +
    `${whereDue(countOfChildren(dialect))} as "childRowCount" ` +
    `from looked as l order by l."at", l."id"`
  );
}

/** Said as in lists by status, and for the same reasons. */
function inRange(
  dialect: Dialect,
  { status, from, before }: { readonly [Name in "status" | "from" | "before"]: string },
): string {
  if (dialect.name === "sqlite")
    return `and r."createdAt" >= ${from} and r."createdAt" <= ${before} and likelihood(r."status" = ${status}, 0.0001)`;
  return (
    `and (r."status", r."createdAt") >= (${status}, ${from}) ` +
    `and (r."status", r."createdAt") <= (${status}, ${before})`
  );
}

/** Condition: the run that started the instance is its parent's present one. */
function isHeld(dialect: Dialect, alias: string): string {
  const key = {
    workflowName: `${alias}."parentWorkflowName"`,
    instanceId: `${alias}."parentInstanceId"`,
  };
  const parent =
    `select 1 from ${INSTANCE} as p where ${isInstanceKey(dialect, { alias: "p", ...key })} ` +
    `and ${filter(`p."runNumber" = ${alias}."parentRunNumber"`)}`;
  return `case when ${alias}."parentInstanceId" is null then false else exists (${parent}) end`;
}

/** Rows that an instance has in a table, in the order of an index. */
interface OwnRows {
  readonly table: string;
  readonly isOf: string;
  readonly index: string;
  readonly order: string;
  readonly most: number;
}

const ofInstance = (alias: string): string =>
  `c."workflowName" = ${alias}."workflowName" and c."instanceId" = ${alias}."instanceId"`;

const own = (rows: Omit<OwnRows, "isOf" | "most">): OwnRows => ({
  ...rows,
  isOf: ofInstance("l"),
  most: RETAIN_CHUNK.rows + 1,
});

const STEPS = own({ table: STEP, index: UNIQUE_STEP, order: `c."runNumber", c."stepKey"` });
const EVENTS = own({ table: EVENT, index: EVENTS_OF_RUN, order: `c."runNumber", c."createdAt"` });
const ENTRIES = own({ table: PROGRESS, index: PROGRESS_IN_ORDER, order: `c."sequence"` });
const OFFSPRING: OwnRows = {
  table: INSTANCE,
  isOf: `c."parentWorkflowName" = l."workflowName" and c."parentInstanceId" = l."instanceId"`,
  index: CHILDREN,
  order: `c."parentRunNumber"`,
  most: RETAIN_CHUNK.children + 1,
};

/** Expression: how many rows of a table the instance `l` has, as far as that is asked. */
const countOf = (dialect: Dialect, { table, isOf, index, order, most }: OwnRows): string =>
  `(select count(*) from (select 1 as "one" from ${table} as c${dialect.byIndex(index)} where ${isOf} ` +
  `order by ${order} limit ${most}) as n)`;

/** Expression: the same of its children's steps. */
function countOfChildren(dialect: Dialect): string {
  const isOf = `s."workflowName" = d."workflowName" and s."instanceId" = d."instanceId"`;
  const children =
    `select c."workflowName", c."instanceId" from ${INSTANCE} as c${dialect.byIndex(CHILDREN)} where ${OFFSPRING.isOf} ` +
    `order by ${OFFSPRING.order} limit ${OFFSPRING.most}`;
  return (
    `(select count(*) from (select 1 as "one" from (${children}) as d ` +
    `${dialect.joinEach(STEP, "s", isOf, UNIQUE_STEP)} limit ${STEPS.most}) as n)`
  );
}

const REF_COLUMNS: readonly JsonColumn[] = ["workflowName", "instanceId"].map(toText);
const RULE_COLUMNS: readonly JsonColumn[] = [
  ...["workflowName", "status"].map(toText),
  { name: "before", type: "bigint" },
];

function toText(name: string): JsonColumn {
  return { name, type: "text" };
}

const MEMBER = ["id", "workflowName", "instanceId", "status", "completedAt"];

const columnsOf = (alias: string): string => MEMBER.map((name) => `${alias}."${name}"`).join(", ");

/** Rules, and the instances that are asked for. */
function roots(dialect: Dialect): string {
  const isRoot = isInstanceKey(dialect, {
    alias: "i",
    workflowName: `a."workflowName"`,
    instanceId: `a."instanceId"`,
  });
  return (
    `rules as materialized (select u.* from ${dialect.jsonRows(dialect.param(2), "u", RULE_COLUMNS)}), ` +
    `roots as materialized (select ${columnsOf("i")}, i."runNumber", ` +
    `case when ${isHeld(dialect, "i")} then 1 else 0 end as "isHeld" ` +
    `from ${dialect.jsonRows(dialect.param(1), "a", REF_COLUMNS)} ${dialect.joinEach(INSTANCE, "i", isRoot)})`
  );
}

/** They and all below them, as far as a call may go: each database has its own place for a limit. */
function members(dialect: Dialect): string {
  const isChild = `c."parentWorkflowName" = f."workflowName" and c."parentInstanceId" = f."instanceId"`;
  const limit = ` limit ${RETAIN_CHUNK.members + 1}`;
  const [within, outside] = dialect.name === "sqlite" ? [limit, ""] : ["", limit];
  return (
    `family as (select o."id" as "rootId", ${columnsOf("o")} from roots as o ` +
    `union select f."rootId", ${columnsOf("c")} from family as f ${dialect.joinEach(INSTANCE, "c", isChild, CHILDREN)}${within}), ` +
    `members as materialized (select f.* from family as f${outside})`
  );
}

/** Condition: it ended as a rule says. */
const isExpired = (dialect: Dialect, alias: string): string =>
  `exists (select 1 from rules as u where u."workflowName" = ${alias}."workflowName" ` +
  `and u."status" = ${alias}."status" and ${alias}."completedAt" < ${dialect.fromMs(`u."before"`)})`;

/** Those of whose families one stays, of as many members as a call may have, or that a parent holds. */
const kept = (dialect: Dialect): string =>
  `kept as materialized (select m."rootId" from members as m where not ${isExpired(dialect, "m")} ` +
  `union select o."id" from roots as o where o."isHeld" = 1)`;

/** Families that go: those of whose members every one does. */
function gone(dialect: Dialect): string {
  return (
    `with recursive ${roots(dialect)}, ${members(dialect)}, ${kept(dialect)}, ` +
    `gone as materialized (select m."id", m."workflowName", m."instanceId" from members as m ` +
    `where m."rootId" not in (select h."rootId" from kept as h) ` +
    `and (select count(*) from members) <= ${RETAIN_CHUNK.members})`
  );
}

/** Parameters of these and of all below: instances and rules, as JSON. */
export const EXPIRED_DELETES: DeleteStatements = deletesOf(gone);

export const lockExpired = (dialect: Dialect): string =>
  `with recursive ${roots(dialect)}, ${members(dialect)} select k."id" from ${INSTANCE} as k ` +
  `where ${dialect.isKeyAmong(`k."id"`, `select m."id" from members as m`)} order by k."id" ${dialect.forUpdate("k")}`;

const emptied = (dialect: Dialect): string =>
  `with recursive ${roots(dialect)}, ${members(dialect)}, ${kept(dialect)}, emptied as materialized (select o.* from roots as o ` +
  `where o."id" not in (select h."rootId" from kept as h))`;

/** Without their families: nothing of those is written. Rows: one for each. */
export const lockEmptied = (dialect: Dialect): string =>
  `${emptied(dialect)} select k."id" from ${INSTANCE} as k ` +
  `where ${dialect.isKeyAmong(`k."id"`, `select o."id" from emptied as o`)} order by k."id" ${dialect.forUpdate("k")}`;

/** As a restart has it, but that the instance stays ended as it is: nobody takes what is left of a run for its history. */
export function leaveRun(dialect: Dialect): string {
  // Not by `exists`, for which Postgres may hash a whole table.
  const some = ({ table, index, isOf, order }: OwnRows, runNumber: string): string =>
    `(select 1 from ${table} as c${dialect.byIndex(index)} where ${isOf} and c."${runNumber}" = l."runNumber" ` +
    `order by ${order} limit 1) is not null`;
  const ofRun = [STEPS, EVENTS].map((rows) => some(rows, "runNumber"));
  const any = [...ofRun, some(OFFSPRING, "parentRunNumber")].join(" or ");
  return (
    `${emptied(dialect)} update ${INSTANCE} set "keyNumber" = coalesce("keyNumber", "runNumber"), "runNumber" = "runNumber" + 1, ` +
    `"updatedAt" = ${dialect.now}, "_version" = "_version" + 1 where ${dialect.isKeyAmong(
      `"id"`,
      `select l."id" from emptied as l where ${any}`,
    )}`
  );
}

/** The next rows of earlier runs. */
function rowsOfEarlier(dialect: Dialect, { table, index, order }: OwnRows): string {
  const isEarlier =
    table === PROGRESS ? ofInstance("l") : `${ofInstance("l")} and c."runNumber" < l."runNumber"`;
  return (
    `select c.* from emptied as l ${dialect.joinEach(table, "c", isEarlier, index)} ` +
    `order by ${order} limit ${RETAIN_CHUNK.rows}`
  );
}

const deleteEarlier =
  (rows: OwnRows) =>
  (dialect: Dialect): string =>
    `${emptied(dialect)} delete from ${rows.table} where ` +
    dialect.isKeyAmong(`"id"`, `select e."id" from (${rowsOfEarlier(dialect, rows)}) as e`);

/** Of the same steps that the next statement deletes. */
export const emptyTopicWaits = (dialect: Dialect): string =>
  `${emptied(dialect)} delete from ${TOPIC_WAIT} where ${dialect.isKeyAmong(
    `"id"`,
    `select e."id" from (${rowsOfEarlier(dialect, STEPS)}) as e where ${filter(`e."type" = 'waitForTopic'`)}`,
  )}`;

export const emptySteps: (dialect: Dialect) => string = deleteEarlier(STEPS);
export const emptyEvents: (dialect: Dialect) => string = deleteEarlier(EVENTS);
export const emptyProgress: (dialect: Dialect) => string = deleteEarlier(ENTRIES);

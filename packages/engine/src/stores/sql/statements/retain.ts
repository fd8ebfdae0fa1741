/** @module Finds instances that ended long enough ago, deletes them with their families, and empties large ones. Loaded with the first purge. */
import type { Dialect } from "@escapement/db/client";
import { RETAIN_CHUNK } from "../../../ports/retain.ts";
import { type DeleteStatements, deletesOf } from "./delete.ts";
import {
  BY_RULES,
  emptied,
  ENDED_AS_DEMANDED,
  EVENTS_OF_RUN,
  gone,
  isOfPresentRun,
  members,
  PROGRESS_IN_ORDER,
  type Terms,
  weight,
  WHOEVER_ENDED,
} from "./going.ts";
import { CHILDREN } from "./leave-children.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, PROGRESS, STEP, TOPIC_WAIT, UNIQUE_STEP } from "./tables.ts";

/**
 * A walk along the instances of a workflow with one end, by time of creation, because no instance ends before its creation.
 * Parameters: workflow, status, the position to continue after, and how long instances stay. Rows: the instances that it looked
 * at, in order. Only those that may be deleted are weighed.
 */
export function findExpired(dialect: Dialect): string {
  const [workflowName, status, at, id] = [1, 2, 3, 4].map(dialect.param);
  const before = dialect.plusMs(dialect.now, `-cast(${dialect.param(5)} as bigint)`);
  const from = dialect.fromMs(`cast(${at} as bigint)`);
  const isDue = `r."completedAt" < ${before} and not ${isOfPresentRun(dialect, "r")}`;
  const looked =
    `select r."id", r."workflowName", r."instanceId", ${dialect.toMs(`r."createdAt"`)} as "at", ` +
    `case when ${isDue} then 1 else 0 end as "isDue" from ${INSTANCE} as r where r."workflowName" = ${workflowName} ` +
    `${inRange(dialect, { status: String(status), from, before })} and (r."createdAt" <> ${from} or r."id" > ${id}) ` +
    `order by ${dialect.name === "postgres" ? `r."status", ` : ""}r."createdAt", r."id" limit ${RETAIN_CHUNK.looked}`;
  const rowCount = `${countOf(dialect, STEPS)} + ${countOf(dialect, EVENTS)} + ${countOf(dialect, ENTRIES)}`;
  const whereDue = (count: string): string => `case when l."isDue" = 1 then ${count} end`;
  return (
    `with looked as materialized (${looked}) select l."id", l."instanceId", l."at", l."isDue", ` +
    `${whereDue(rowCount)} as "rowCount", ${whereDue(countOf(dialect, OFFSPRING))} as "childCount", ` +
    `${whereDue(countOfChildren(dialect))} as "childRowCount" ` +
    `from looked as l order by l."at", l."id"`
  );
}

/** Written as in lists by status, for the same reasons. */
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

/** The rows of an instance in a table, in the order of an index. */
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

/** Expression: how many rows of a table the instance `l` has, up to a bound. */
const countOf = (dialect: Dialect, { table, isOf, index, order, most }: OwnRows): string =>
  `(select count(*) from (select 1 as "one" from ${table} as c${dialect.byIndex(index)} where ${isOf} ` +
  `order by ${order} limit ${most}) as n)`;

/** Expression: the same for its children's steps. */
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

type Text = (dialect: Dialect) => string;

/** Deletes instances with their families: all of them, or nothing. */
export interface GoingStatements extends DeleteStatements {
  readonly lock: Text;
  /** One row: `isLight`, whether it is within the limits of a call. */
  readonly weigh: Text;
}

/** Removes an instance's own rows. The instance keeps its end, but has no history. */
export interface EmptyStatements {
  /** Locks the instances, without their families, which are not written. Rows: one for each. */
  readonly lock: Text;
  readonly leaveRun: Text;
  /** Deletes the topic waits of the steps that the next statement deletes. */
  readonly topicWaits: Text;
  readonly steps: Text;
  readonly events: Text;
  readonly progress: Text;
}

const goingOf = (terms: Terms): GoingStatements => ({
  lock: (dialect) =>
    `${members(dialect, terms)} select k."id" from ${INSTANCE} as k ` +
    `where ${dialect.isKeyAmong(`k."id"`, `select m."id" from members as m`)} order by k."id" ${dialect.forUpdate("k")}`,
  weigh: (dialect) =>
    `${members(dialect, terms)}, ${weight(dialect, terms)} select "isLight" from weight`,
  ...deletesOf(gone(terms)),
});

const emptyingOf = (terms: Terms): EmptyStatements => {
  const deleteEarlier =
    (rows: OwnRows) =>
    (dialect: Dialect): string =>
      `${emptied(dialect, terms)} delete from ${rows.table} where ` +
      dialect.isKeyAmong(`"id"`, `select e."id" from (${rowsOfEarlier(dialect, rows)}) as e`);
  return {
    lock: (dialect) =>
      `${emptied(dialect, terms)} select k."id" from ${INSTANCE} as k ` +
      `where ${dialect.isKeyAmong(`k."id"`, `select o."id" from emptied as o`)} order by k."id" ${dialect.forUpdate("k")}`,
    leaveRun: (dialect) => leaveRun(dialect, terms),
    topicWaits: (dialect) =>
      `${emptied(dialect, terms)} delete from ${TOPIC_WAIT} where ${dialect.isKeyAmong(
        `"id"`,
        `select e."id" from (${rowsOfEarlier(dialect, STEPS)}) as e where ${filter(`e."type" = 'waitForTopic'`)}`,
      )}`,
    steps: deleteEarlier(STEPS),
    events: deleteEarlier(EVENTS),
    progress: deleteEarlier(ENTRIES),
  };
};

/** Gives the instance a new run, as a restart does, but keeps its end, so that nobody takes the remaining rows for a history. */
function leaveRun(dialect: Dialect, terms: Terms): string {
  // Not with `exists`, for which Postgres may hash a whole table.
  const some = ({ table, index, isOf, order }: OwnRows, runNumber: string): string =>
    `(select 1 from ${table} as c${dialect.byIndex(index)} where ${isOf} and c."${runNumber}" = l."runNumber" ` +
    `order by ${order} limit 1) is not null`;
  const ofRun = [STEPS, EVENTS].map((rows) => some(rows, "runNumber"));
  const any = [...ofRun, some(OFFSPRING, "parentRunNumber")].join(" or ");
  return (
    `${emptied(dialect, terms)} update ${INSTANCE} set "keyNumber" = coalesce("keyNumber", "runNumber"), "runNumber" = "runNumber" + 1, ` +
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

/** The statements for instances that ended long enough ago. Further parameter: rules. */
export const EXPIRED: { readonly going: GoingStatements; readonly emptying: EmptyStatements } = {
  going: goingOf(BY_RULES),
  emptying: emptyingOf(BY_RULES),
};

/** The statements for any instance that has ended. */
export const ENDED: typeof EXPIRED = {
  going: goingOf(WHOEVER_ENDED),
  emptying: emptyingOf(WHOEVER_ENDED),
};

/** The same with a demand. Further parameters: run number or null, statuses as `,a,b,` or null. */
export const DEMANDED: typeof EXPIRED = {
  going: goingOf(ENDED_AS_DEMANDED),
  emptying: emptyingOf(ENDED_AS_DEMANDED),
};

/**
 * @module Reads instances that are moved to another store, and closes them afterwards. Parameters of every statement: workflow,
 * instance, and those that it names. Loaded with the first call.
 */
import type { Dialect } from "@escapement/db/client";
import { family, liveParent, memberColumns } from "./delete.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, INSTANCE_IDS } from "./tables.ts";

/** FROM item: each member of the family `f`, with its row `m`. */
const members = (dialect: Dialect): string =>
  `family as f ${dialect.joinEach(INSTANCE, "m", dialect.isKey(`m."id"`, `f."id"`), INSTANCE_IDS)}`;

/** Parameter: how many to read. */
export const selectFamily = (dialect: Dialect): string =>
  `with recursive ${family(dialect)} select m."workflowName", m."instanceId", m."status", ` +
  `m."parentWorkflowName", m."parentInstanceId" from ${members(dialect)} limit ${dialect.param(3)}`;

const markColumns = (dialect: Dialect): string => {
  const events = `select count(*) from ${EVENT} as e where e."workflowName" = m."workflowName" and e."instanceId" = m."instanceId"`;
  return (
    `select count(*) as "members", coalesce(sum(m."_version"), 0) as "version", coalesce(sum((${events})), 0) as "events" ` +
    `from ${members(dialect)}`
  );
};

export const selectMark = (dialect: Dialect): string =>
  `with recursive ${family(dialect)} ${markColumns(dialect)}`;

export const selectLiveParent = (dialect: Dialect): string =>
  `select ${memberColumns("p")} ${liveParent(dialect)}`;

/**
 * Parameters: members, version and events of the mark, then name and message of the error. Ends the paused instances, or none
 * if the mark differs. Rows: one for each.
 */
export function closeMoved(dialect: Dialect): string {
  const { param, now } = dialect;
  const isSame =
    `exists (select 1 from mark as a where a."members" = ${param(3)} and a."version" = ${param(4)} ` +
    `and a."events" = ${param(5)})`;
  return (
    `with recursive ${family(dialect)}, mark as materialized (${markColumns(dialect)}) update ${INSTANCE} set ` +
    `"status" = 'terminated', "errorName" = ${param(6)}, "errorMessage" = ${param(7)}, "errorDetail" = null, ` +
    `"completedAt" = ${now}, "updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${dialect.isKeyAmong(`"id"`, `select f."id" from family as f`)} and ${filter(`"status" = 'paused'`)} and ${isSame} returning "id"`
  );
}

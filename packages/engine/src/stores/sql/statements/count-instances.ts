/** @module Counts of instances over workflows. Loaded with the first count. */
import type { Dialect } from "@escapement/db/client";
import { COUNTED_AT } from "../../../ports/find-instances.ts";
import { IS_OF_KEY, stuckInstances, stuckKeys } from "./stuck.ts";
import {
  BRANCH_COLUMNS,
  branches,
  matches,
  ofEachBranch,
  ofParent,
  ofStatus,
  withoutId,
} from "./walks.ts";

const WITHOUT_CONDITIONS = BRANCH_COLUMNS.slice(0, 5);

/** Parameters: branches as JSON, each with a status, and the cap. */
export function countByStatus(dialect: Dialect): string {
  const { from, where, order } = ofStatus(dialect);
  return (
    `select b."workflowName", b."status", (select count(*) from (select r."createdAt" from ${from} where ${where} ` +
    `and ${isBefore(dialect)} order by ${withoutId(order)} limit ${dialect.param(2)}) as c) as "count" ` +
    `from ${dialect.jsonRows(dialect.param(1), "b", WITHOUT_CONDITIONS)}`
  );
}

/** Parameters: branches as JSON, each with a status, and how many rows each walk looks at. `counted`: how many it looked at, and how many match. */
export function countMatching(dialect: Dialect): string {
  const { from, where, order } = ofStatus(dialect);
  const rows =
    `select case when ${matches(dialect)} then 1 else 0 end as "isMatch" from ${from} where ${where} ` +
    `and ${isBefore(dialect)} order by ${withoutId(order)} limit ${dialect.param(2)}`;
  return (
    `select b."workflowName", b."status", (select count(*) || ' ' || coalesce(sum(w."isMatch"), 0) from (${rows}) as w) as "counted" ` +
    `from ${branches(dialect)}`
  );
}

/** Parameter: a branch with a parent as JSON. Rows: see `countFew`. */
export function countChildren(dialect: Dialect): string {
  const { from, where, order } = ofParent(dialect, 2);
  const rows =
    `select r."workflowName", r."status", case when ${matches(dialect)} then 1 else 0 end as "isMatch" ` +
    `from ${from} where ${where} and ${isBefore(dialect)} order by ${withoutId(order)} limit ${COUNTED_AT + 1}`;
  const looked = ofEachBranch(dialect, rows, ["workflowName", "status", "isMatch"]);
  return countFew(
    `"looked" as materialized (${looked})`,
    `"looked" where "isMatch" = 1`,
    `"looked"`,
  );
}

/** Parameters: a branch as JSON, and names as for `findStuck`. Rows: see `countFew`. */
export function countStuck(dialect: Dialect): string {
  const rows =
    `select r."workflowName", r."status" from ${branches(dialect, "b", 1)} cross join ${stuckInstances(dialect)} ` +
    `where ${IS_OF_KEY} and ${matches(dialect)} and r."createdAt" >= ${dialect.fromMs(`b."createdFrom"`)} and ${isBefore(dialect)}`;
  return countFew(`"keys" as materialized (${stuckKeys(dialect, 2)})`, `(${rows}) as f`, `"keys"`);
}

/** Counts by workflow and status. The row without both says how many were looked at. */
const countFew = (cte: string, matching: string, looked: string): string =>
  `with ${cte} select "workflowName", "status", count(*) as "count" from ${matching} group by "workflowName", "status" ` +
  `union all select null, null, count(*) from ${looked}`;

const isBefore = (dialect: Dialect): string => `r."createdAt" < ${dialect.fromMs(`b."at"`)}`;

/**
 * Last statement of a claim: database time, and when the next task comes due or the next lease of another claim ends.
 * Parameters: workflow names, the claim's token, its limit.
 */
import type { Dialect } from "@escapement/db";
import { TASK } from "./tables.ts";
import { isRegistered } from "./workflow-filter.ts";

interface Search {
  readonly status: "pending" | "processing";
  readonly column: "runAt" | "lockedUntil";
  /** Further condition, ending in a space. */
  readonly only?: string;
}

const earliest = (dialect: Dialect, { status, column, only = "" }: Search): string =>
  `(select ${dialect.toMs(`t."${column}"`)} from ${TASK} as t where t."status" = '${status}' ` +
  `and ${isRegistered(dialect, "t", 1)} ${only}order by t."${column}" limit 1)`;

/**
 * A claim that found as many as it asked for is asked again at once, so it does not look further: what stands before the
 * next due task in its index is, after a claim, mostly what the claim has just taken out.
 */
export const claimNext = (dialect: Dialect): string =>
  `select ${dialect.nowMs} as "now", case when (select count(*) from ${TASK} as own ` +
  `where own."lockOwner" = ${dialect.param(2)}) >= ${dialect.param(3)} then ${dialect.nowMs} ` +
  `else (select min(wakes."at") from (` +
  `select ${earliest(dialect, { status: "pending", column: "runAt" })} as "at" union all ` +
  `select ${earliest(dialect, { status: "processing", column: "lockedUntil", only: `and t."lockOwner" <> ${dialect.param(2)} ` })}) as wakes) end as "nextWakeAt"`;

/** Database time, and when the next task comes due or the next lease of another claim ends. Parameters: workflow names, the claim's token. */
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

export const claimNext = (dialect: Dialect): string =>
  `select ${dialect.nowMs} as "now", (select min(wakes."at") from (` +
  `select ${earliest(dialect, { status: "pending", column: "runAt" })} as "at" union all ` +
  `select ${earliest(dialect, { status: "processing", column: "lockedUntil", only: `and t."lockOwner" <> ${dialect.param(2)} ` })}) as wakes) as "nextWakeAt"`;

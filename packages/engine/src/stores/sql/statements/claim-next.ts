/** Database time, and when the next task comes due or the next lease ends. Parameter: workflow names. */
import type { Dialect } from "@escapement/db";
import { TASK } from "./tables.ts";
import { isRegistered } from "./workflow-filter.ts";

const earliest = (dialect: Dialect, status: string, column: string): string =>
  `(select ${dialect.toMs(`t."${column}"`)} from ${TASK} as t where t."status" = '${status}' ` +
  `and ${isRegistered(dialect, "t", 1)} order by t."${column}" limit 1)`;

export const claimNext = (dialect: Dialect): string =>
  `select ${dialect.nowMs} as "now", (select min(wakes."at") from (` +
  `select ${earliest(dialect, "pending", "runAt")} as "at" union all ` +
  `select ${earliest(dialect, "processing", "lockedUntil")}) as wakes) as "nextWakeAt"`;

/** @module Which instances are stuck: see `STUCK_AFTER_MS`. Loaded with the first look. */
import type { Dialect } from "@escapement/db/client";
import { SUSPECT_ATTEMPTS } from "../../../core/lease.ts";
import { LIVE_STATUSES, STUCK_AFTER_MS } from "../../../ports/find-instances.ts";
import { firstOfEach, type TaskRange } from "./task-ranges.ts";
import { TASK } from "./tables.ts";

const longAgo = (dialect: Dialect): string => dialect.plusMs(dialect.now, `(-${STUCK_AFTER_MS})`);

const HAS_ENDED_PROCESSES = `t."attempts" > ${SUSPECT_ATTEMPTS}`;

/** Condition: the instance `r` is stuck. */
export function isStuck(dialect: Dialect): string {
  const since = longAgo(dialect);
  const isAmiss =
    `(t."status" = 'pending' and t."runAt" <= ${since}) or ` +
    `(t."status" = 'processing' and (t."lockedUntil" <= ${since} or ${HAS_ENDED_PROCESSES}))`;
  const isLive = `r."status" in (${LIVE_STATUSES.map((status) => `'${status}'`).join(", ")})`;
  return (
    `(${isLive} and exists (select 1 from ${TASK} as t where t."workflowName" = r."workflowName" ` +
    `and t."instanceId" = r."instanceId" and t."runNumber" = r."runNumber" and (${isAmiss})))`
  );
}

/**
 * SELECT of the keys of instances that may be stuck, of the workflows of a parameter as `firstOfEach` takes it: up to so many of each and in all.
 */
export function stuckKeys(dialect: Dialect, names: number, limit: number): string {
  const since = longAgo(dialect);
  const ranges: readonly Pick<TaskRange, "status" | "orderBy" | "where">[] = [
    ...[0, 1].map((priority) => ({
      status: "pending" as const,
      orderBy: "runAt" as const,
      where: `t."priority" = ${priority} and t."runAt" <= ${since}`,
    })),
    { status: "processing", orderBy: "lockedUntil", where: `t."lockedUntil" <= ${since}` },
    {
      status: "processing",
      orderBy: "lockedUntil",
      where: `t."lockedUntil" > ${since} and ${HAS_ENDED_PROCESSES}`,
    },
  ];
  const columns = ["workflowName", "instanceId"];
  const found = ranges.map((range, index) => {
    const rows = firstOfEach(dialect, names, { ...range, columns, limit: String(limit) });
    // Another name than that of the table's rows around it: a plan tells them apart by it.
    return `select * from (${rows.replaceAll(/\bas r\b/g, "as f").replaceAll(/\br\./g, "f.")}) as f${index}`;
  });
  return `select u."workflowName", u."instanceId" from (${found.join(" union all ")}) as u limit ${limit}`;
}

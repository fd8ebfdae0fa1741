/** @module Lists the leases that are held. Loaded with the first call. */
import type { Dialect } from "@escapement/db/client";
import { firstOfEach } from "./task-ranges.ts";

const COLUMNS = ["workflowName", "instanceId", "runNumber", "lockOwner", "attempts", "lockedUntil"];

/** Parameters: names of workflows in the form for `firstOfEach`, and how many leases of each. Ordered by their end. */
export function listLeases(dialect: Dialect): string {
  const leases = firstOfEach(dialect, 1, {
    status: "processing",
    orderBy: "lockedUntil",
    where: `t."lockedUntil" is not null`,
    columns: COLUMNS,
    limit: dialect.param(2),
  });
  const shown = COLUMNS.slice(0, -1).map((name) => `h."${name}"`);
  return (
    `select ${shown.join(", ")}, ${dialect.toMs(`h."lockedUntil"`)} as "until" from (${leases}) as h ` +
    `order by h."lockedUntil", h."workflowName", h."instanceId"`
  );
}

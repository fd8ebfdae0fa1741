/** Before a claim: ends the leases that an earlier life of the process has left. Parameter: the beginning of their tokens. */
import type { Dialect } from "@escapement/db/client";
import { filter } from "./planner-hints.ts";
import { TASK } from "./tables.ts";

/** Rows that a connection of the earlier life still locks are skipped; their leases end by themselves. */
export function endFormerLeases(dialect: Dialect): string {
  const { now } = dialect;
  const start = dialect.param(1);
  const present = dialect.param(2);
  return (
    `update ${TASK} set "lockedUntil" = ${now}, "updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${dialect.isKeyAmong(
      `"id"`,
      `select t."id" from ${TASK} as t where t."lockOwner" is not null ` +
        `and substr(t."lockOwner", 1, length(${start})) = ${start} ` +
        `and substr(t."lockOwner", 1, length(${present})) <> ${present} ` +
        `and ${filter(`t."status" = 'processing' and t."lockedUntil" > ${now}`)} ${dialect.forUpdate("t", { skipLocked: true })}`,
    )}`
  );
}

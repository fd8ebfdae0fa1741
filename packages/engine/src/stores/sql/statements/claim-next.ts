/**
 * Last statement of a claim: the database's time, when the next task is due, when the next lease of another claim ends, and
 * whether a suspect is due. Parameters: workflow names, the claim's token, its limit, and how it treated suspects.
 */
import type { Dialect } from "@escapement/db/client";
import { IS_SUSPECT } from "./claim-tasks.ts";
import { TASK } from "./tables.ts";
import { firstOfEach, type TaskRange } from "./task-ranges.ts";

type Search = Pick<TaskRange, "status" | "orderBy" | "where">;

const earliest = (dialect: Dialect, search: Search): string =>
  `select ${dialect.toMs(`e."${search.orderBy}"`)} as "at" from (${firstOfEach(dialect, 1, {
    ...search,
    columns: [search.orderBy],
    limit: "1",
  })}) as e`;

const first = (dialect: Dialect, searches: readonly Search[]): string =>
  `(select min(wakes."at") from (${searches.map((search) => earliest(dialect, search)).join(" union all ")}) as wakes)`;

const PENDING: readonly Search[] = [0, 1].map((priority) => ({
  status: "pending",
  orderBy: "runAt",
  where: `t."priority" = ${priority}`,
}));

/** Whether a claim would find something. Parameter: workflow names. */
export function findDue(dialect: Dialect): string {
  const { now, nowMs } = dialect;
  const where = `t."lockedUntil" <= ${now}`;
  const searches: readonly Search[] = [
    ...PENDING,
    { status: "processing", orderBy: "lockedUntil", where },
  ];
  return `select case when ${first(dialect, searches)} <= ${nowMs} then 1 else 0 end as "isDue"`;
}

/**
 * A claim that found as many runs as it asked for is repeated at once, so it does not look further. After a claim, the index
 * entries before the next due task are mostly dead entries of the tasks that the claim has just taken.
 */
export function claimNext(dialect: Dialect): string {
  const { now, nowMs } = dialect;
  const isOther = `t."lockOwner" <> ${dialect.param(2)}`;
  const leased: Search = {
    status: "processing",
    orderBy: "lockedUntil",
    where: `${isOther} and (not ${IS_SUSPECT} or t."lockedUntil" > ${now} or ${dialect.param(4)} = 'any')`,
  };
  const dueSuspect = firstOfEach(dialect, 1, {
    status: "processing",
    orderBy: "lockedUntil",
    where: `t."lockedUntil" <= ${now} and ${IS_SUSPECT} and ${isOther}`,
    columns: ["lockedUntil"],
    limit: "1",
  });
  const isFull = `own."count" >= ${dialect.param(3)}`;
  return (
    `with own as materialized (select count(*) as "count" from ${TASK} where "lockOwner" = ${dialect.param(2)}) ` +
    `select ${nowMs} as "now", exists (${dueSuspect}) as "suspectDue", ` +
    `case when ${isFull} then ${nowMs} else ${first(dialect, PENDING)} end as "nextDueAt", ` +
    `case when ${isFull} then null else ${first(dialect, [leased])} end as "nextLeaseEndAt" from own`
  );
}

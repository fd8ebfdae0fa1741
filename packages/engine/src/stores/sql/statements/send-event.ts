/** Stores an event and wakes the run that waits for it. Both come after `lockTask`, so that no commit comes in between. */
import type { Dialect } from "@escapement/db/client";
import { claimedTaskColumns, COUNT_CLAIM } from "./claim-tasks.ts";
import { asksForType } from "./event-types.ts";
import { hint } from "./hint.ts";
import { isInstance, isOfInstance, isTaskOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceOf, sameRun, STEP, TASK } from "./tables.ts";

/**
 * Parameters: workflow, instance, event row id, type, payload, event id, bytes, largest count, largest sum of bytes, trace
 * context. Comes after `lockInstance`, so that sequences rise in the order of acceptance and nobody else adds to what is
 * counted. An event that is sent twice with the same row id or event id is stored once.
 *
 * @param condition a further condition, as `and … `
 */
export const insertEvent = (dialect: Dialect, condition = ""): string =>
  `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "eventId", "sizeBytes", ` +
  `"traceContext", "createdAt") select ${dialect.param(3)}, i."workflowName", i."instanceId", i."runNumber", ${dialect.param(4)}, ` +
  `${dialect.param(5)}, ${dialect.param(6)}, ${sizeBytes(dialect)}, ${dialect.param(10)}, ${dialect.clock} from ${INSTANCE} as i ` +
  `where ${isInstance(dialect, "i")} and i."status" not in ('complete', 'errored', 'terminated') ${condition}` +
  `and exists (select 1 from (${undelivered(dialect)}) as held ` +
  `where held."count" < ${dialect.param(8)} and held."bytes" + ${sizeBytes(dialect)} <= ${dialect.param(9)}) ` +
  `on conflict do nothing`;

/** Postgres infers the type of a parameter from its first use, which is a column that is narrower than the sum. */
const sizeBytes = (dialect: Dialect): string => `cast(${dialect.param(7)} as bigint)`;

/** The undelivered events of the run of `i`. Reads no more rows than the run may have. */
const undelivered = (dialect: Dialect): string =>
  `select count(*) as "count", coalesce(sum(u."sizeBytes"), 0) as "bytes" from (select e."sizeBytes" from ${EVENT} as e ` +
  `where ${sameRun("e", "i")} and e."deliveredAt" is null order by e."_internalId" limit ${dialect.param(8)}) as u`;

/** Parameters: workflow, instance, event row id. Rows: the event, if it was stored under that row id. */
export const findEvent = (dialect: Dialect): string =>
  `select 1 as "isSame" from ${EVENT} as e ` +
  `where e."id" = ${dialect.param(3)} and ${filter(isOfInstance(dialect, "e"))}`;

/** Parameters: workflow, instance, event id, type, payload. Rows: the run's event with that id, and whether it is the same. */
export const findEventById = (dialect: Dialect): string =>
  `select case when e."type" = ${dialect.param(4)} and e."payload" is not distinct from ${dialect.param(5)} ` +
  `then 1 else 0 end as "isSame" from ${INSTANCE} as i ` +
  `${dialect.joinEach(EVENT, "e", `${sameRun("e", "i")} and e."eventId" = ${dialect.param(3)}`)} ` +
  `where ${isInstance(dialect, "i")}`;

/**
 * Parameters: workflow, instance, type, event row id. Rows: the task, if the event was stored and made it due. An earlier due
 * time stays.
 */
export const wakeTask = (dialect: Dialect): string =>
  wake(dialect, "") + hint(dialect, "t", "true", ", ");

/** Like `wakeTask`, and also claims the task. Further parameters: token, leaseMs. */
export const wakeAndClaimTask = (dialect: Dialect): string =>
  wake(
    dialect,
    `"status" = 'processing', "attempts" = 1, ${COUNT_CLAIM}, "lockOwner" = ${dialect.param(5)}, ` +
      `"lockedUntil" = ${dialect.plusMs(dialect.clock, dialect.param(6))}, `,
  );

const wake = (dialect: Dialect, claim: string): string =>
  `update ${TASK} as t set "kind" = 'wake', "priority" = 0, ${claim}` +
  `"runAt" = ${dialect.least(`t."runAt"`, dialect.clock)}, ` +
  `"updatedAt" = ${dialect.clock}, "_version" = t."_version" + 1 ` +
  `where ${isWoken(dialect)} returning ${claimedTaskColumns(dialect)}`;

/** Parameters: as those of `wakeTask`. Rows: one, if it wakes the run, before it and after. */
export const findWoken = (dialect: Dialect): string =>
  `select 1 from ${TASK} as t where ${isWoken(dialect)}`;

/** Condition: `t` is the task of a run that waits for the event. */
const isWoken = (dialect: Dialect): string =>
  `${isTaskOfInstance(dialect, "t")} and ${filter(`t."status" = 'pending'`)} ` +
  `and ${filter(`exists (select 1 from ${EVENT} as e where e."id" = ${dialect.param(4)} and ${sameRun("e", "t")} and e."deliveredAt" is null)`)} ` +
  `and ${filter(`exists (select 1 from ${INSTANCE} as i where ${instanceOf(dialect, "t")} and ${filter(`i."status" = 'waiting'`)})`)} ` +
  `and ${filter(
    `exists (select 1 from ${STEP} as s where ${sameRun("s", "t")} and s."status" = 'waiting' ` +
      `and ${asksForType(dialect.param(3))} and (s."wakeAt" is null or s."wakeAt" > ${dialect.clock}))`,
  )}`;

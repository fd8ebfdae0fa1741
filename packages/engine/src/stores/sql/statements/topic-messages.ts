/**
 * @module Messages of a topic. The topic's row is both lock and counter: an emit holds it until the commit, and a new wait
 * takes it, too, so that the order of commits is the order of sequences. Loaded with the first use.
 */
import type { Dialect } from "@escapement/db/client";
import { TOPIC_CHUNK } from "../../../core/topic.ts";
import { TOPIC_TASKS } from "../../../core/engine-names.ts";
import { laterLoops } from "./commit-steps.ts";
import { hint } from "./hint.ts";
import { leaseToken } from "./leased-rows.ts";
import { filter } from "./planner-hints.ts";
import {
  MESSAGE,
  sameRun,
  STEP,
  TASK,
  TOPIC,
  TOPIC_WAIT,
  UNIQUE_STEP,
  UNLIMITED_ATTEMPTS,
} from "./tables.ts";

/** The most messages that one emit removes. */
const TRIMMED = 100;

/** Condition: `alias` is the topic with a name. */
const isNamed = (dialect: Dialect, alias: string, name: string): string =>
  dialect.isKey(`${alias}."name"`, name);

/** Parameters: topic, row id. */
export const insertTopic = (dialect: Dialect): string =>
  `insert into ${TOPIC} ("id", "name", "sequence", "createdAt") values ` +
  `(${dialect.param(2)}, ${dialect.param(1)}, 0, ${dialect.clock}) on conflict do nothing`;

/** Parameters: topic. */
export const lockTopic = (dialect: Dialect): string =>
  `select o."id" from ${TOPIC} as o where ${isNamed(dialect, "o", dialect.param(1))} ${dialect.forUpdate("o")}`;

/**
 * Parameters: topic, row id, message id, text, bytes, and then either the most undelivered messages, or the lease under which
 * the message is emitted (task and token) and its step (key, version and JSON array of loops, as the commit will write them).
 * It stores nothing if the topic has the message id, or if the step was written already or may have been removed by its loops.
 */
export const insertMessage = (dialect: Dialect, by: "caller" | "lease"): string => {
  const condition =
    by === "lease"
      ? `exists (select 1 from ${TASK} as t where ${dialect.isKey(`t."id"`, dialect.param(6))} ` +
        `and ${filter(`${leaseToken("t")} = ${dialect.param(7)}`)} and not exists (select 1 from ${STEP} as k${dialect.byIndex(UNIQUE_STEP)} ` +
        `where ${sameRun("k", "t")} and k."stepKey" = ${dialect.param(8)} and ${filter(`k."_version" >= cast(${dialect.param(9)} as bigint)`)}) ` +
        `and not exists (select 1 from ${laterLoops(dialect, `cast(${dialect.param(10)} as text)`, sameRun("s", "t"))}))`
      : `(select count(*) from ${MESSAGE} as n where n."topic" = o."name" and n."sequence" > coalesce(` +
        `(select min(w."sequence") from ${TOPIC_WAIT} as w where w."topic" = o."name"), o."sequence")) < ${dialect.param(6)}`;
  return (
    `insert into ${MESSAGE} ("id", "topic", "sequence", "messageId", "message", "sizeBytes", "createdAt") ` +
    `select ${dialect.param(2)}, o."name", o."sequence" + 1, cast(${dialect.param(3)} as text), ${dialect.param(4)}, ` +
    `cast(${dialect.param(5)} as bigint), ${dialect.clock} from ${TOPIC} as o ` +
    `where ${isNamed(dialect, "o", dialect.param(1))} and ${condition} on conflict do nothing`
  );
};

/** Parameters: topic, message row id. Counts each message once. */
export const countMessage = (dialect: Dialect): string =>
  `update ${TOPIC} as o set "sequence" = o."sequence" + 1, "_version" = o."_version" + 1 ` +
  `where ${isNamed(dialect, "o", dialect.param(1))} and exists (select 1 from ${MESSAGE} as m ` +
  `where ${dialect.isKey(`m."id"`, dialect.param(2))} and m."sequence" = o."sequence" + 1)`;

/**
 * Parameters: topic, most messages, most bytes, longest age. The last message stays, and so do those that a wait still has to
 * get. Each emit removes only a few, so that none takes long.
 */
export const trimMessages = (dialect: Dialect): string => {
  const { clock, param, plusMs } = dialect;
  const oldest = plusMs(clock, `-cast(${param(4)} as bigint)`);
  const kept =
    `select n."id", n."sequence", n."createdAt", sum(n."sizeBytes") over (order by n."sequence" desc) as "bytes" ` +
    `from ${MESSAGE} as n where n."topic" = ${param(1)}`;
  const isTooMuch =
    `k."sequence" <= o."sequence" - cast(${param(2)} as bigint) or k."bytes" > cast(${param(3)} as bigint) ` +
    `or k."createdAt" < ${oldest}`;
  const needed = `(select min(w."sequence") from ${TOPIC_WAIT} as w where w."topic" = ${param(1)})`;
  return `delete from ${MESSAGE} where ${dialect.isKeyAmong(
    `"id"`,
    `select k."id" from (${kept}) as k cross join ${TOPIC} as o where ${isNamed(dialect, "o", param(1))} ` +
      `and k."sequence" < o."sequence" and k."sequence" <= coalesce(${needed}, o."sequence") and (${isTooMuch}) ` +
      `order by k."sequence" limit ${TRIMMED}`,
  )}`;
};

/** Parameters: topic, milliseconds until it is due. There is one task per topic, as long as waits still have to get a message. */
export const insertTopicTask = (dialect: Dialect): string => {
  const due = dialect.plusMs(dialect.clock, dialect.param(2));
  return (
    `insert into ${TASK} ("id", "workflowName", "instanceId", "runNumber", "kind", "priority", "runAt", "status", ` +
    `"attempts", "claimNumber", "maxAttempts", "createdAt", "updatedAt") select o."id", '${TOPIC_TASKS}', o."name", ` +
    `o."sequence", 'wake', 0, ${due}, 'pending', 0, 0, ${UNLIMITED_ATTEMPTS}, ${dialect.clock}, ${dialect.clock} ` +
    `from ${TOPIC} as o where ${isNamed(dialect, "o", dialect.param(1))} and exists (select 1 from ${TOPIC_WAIT} as w ` +
    `where w."topic" = o."name" and w."sequence" < o."sequence") ` +
    `on conflict ("id") do update set "runNumber" = excluded."runNumber", "_version" = ${TASK}."_version" + 1` +
    hint(dialect, TASK, `${TASK}."runAt" <= ${dialect.clock}`, " returning ")
  );
};

/** Parameters: topic, message row id, message id, text. Rows: the topic's sequence, and whether the message was stored, or why not. */
export const selectEmitted = (dialect: Dialect): string =>
  `select o."sequence", case when exists (select 1 from ${MESSAGE} as m where ${dialect.isKey(`m."id"`, dialect.param(2))}) ` +
  `then 'emitted' else coalesce((select case when m."message" = ${dialect.param(4)} then 'duplicate' else 'conflict' end ` +
  `from ${MESSAGE} as m where m."topic" = o."name" and m."messageId" = ${dialect.param(3)}), 'full') end as "kind" from ${TOPIC} as o where ${isNamed(dialect, "o", dialect.param(1))}`;

/** Parameters: topic, sequence. Rows: the next chunk of waits that are to get a message up to that sequence, and the bytes of each. */
export const selectDue = (dialect: Dialect, upTo: "given" | "last" = "given"): string => {
  const last = `(select o."sequence" from ${TOPIC} as o where ${isNamed(dialect, "o", dialect.param(1))})`;
  return (
    `select w."id", coalesce((select m."sizeBytes" from ${MESSAGE} as m where m."topic" = w."topic" ` +
    `and m."sequence" > w."sequence" order by m."sequence" limit 1), 0) as "sizeBytes" from ${TOPIC_WAIT} as w ` +
    `where w."topic" = ${dialect.param(1)} and w."sequence" < ${upTo === "given" ? dialect.param(2) : last} ` +
    `order by w."sequence", w."id" limit ${TOPIC_CHUNK}`
  );
};

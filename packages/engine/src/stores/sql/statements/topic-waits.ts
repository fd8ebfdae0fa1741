/** @module Waits for messages of a topic, and the delivery. Loaded with the first use. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { TOPIC_PATIENCE_MS } from "../../../core/topic.ts";
import { toTopicEvent, toTopicEventId } from "../../../core/topic-event.ts";
import { TOPIC_WAITS_SCANNED } from "../../../ports/topics.ts";
import { type Giving, givenRows, type RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { LEASE_COLUMNS, leasedRows } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { isTaskOf } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceOf, MESSAGE, STEP, TASK, TOPIC, TOPIC_WAIT } from "./tables.ts";

/** A wait by its step's row. */
export interface WaitIdRow {
  readonly id: string;
}

/** A wait that a commit records. */
export interface NewWaitRow extends LeasedRow {
  readonly stepRowId: string;
  readonly topic: string;
  /** An instant. */
  readonly sinceAt?: number;
  /** A message's sequence. */
  readonly sinceAfter?: number;
}

const WAIT_COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "stepRowId", type: "text" },
  { name: "topic", type: "text" },
  { name: "sinceAt", type: "bigint" },
  { name: "sinceAfter", type: "bigint" },
];

const TOPIC_COLUMNS: readonly JsonColumn[] = ["name", "id"].map((name) => ({ name, type: "text" }));
const ID_COLUMNS: readonly JsonColumn[] = [{ name: "id", type: "text" }];

/** FROM items: `c`, and the wait `w` of each. */
const givenWaits = (dialect: Dialect, giving: Giving): string =>
  `${givenRows(dialect, giving, ID_COLUMNS)} ${dialect.joinEach(TOPIC_WAIT, "w", dialect.isKey(`w."id"`, `c."id"`))}`;

/** Inserts topics that do not exist yet. Rows are given in the order of their names. */
export const insertTopics: RowsStatement = {
  columns: TOPIC_COLUMNS,
  text: (dialect, giving) =>
    `insert into ${TOPIC} ("id", "name", "sequence", "createdAt") select c."id", c."name", 0, ${dialect.clock} ` +
    `from ${givenRows(dialect, giving, TOPIC_COLUMNS)} where true on conflict do nothing`,
};

/** Locks topics, so that nobody emits to them before the commit. */
export const lockTopics: RowsStatement = {
  columns: TOPIC_COLUMNS,
  text: (dialect, giving) =>
    `select o."id" from ${TOPIC} as o where ` +
    `${dialect.isKeyAmong(`o."name"`, `select c."name" from ${givenRows(dialect, giving, TOPIC_COLUMNS)}`)} ` +
    `order by o."name" ${dialect.forUpdate("o")}`,
};

/**
 * Inserts an open wait with its place among the messages: after the last one, before the first one since an instant, or after a
 * given one. A sequence that the topic has not reached yet is from another database, and means after the last one.
 */
export const insertWaits: RowsStatement = {
  columns: WAIT_COLUMNS,
  text(dialect, giving) {
    const first =
      `(select min(m."sequence") - 1 from ${MESSAGE} as m where m."topic" = o."name" ` +
      `and m."createdAt" >= ${dialect.fromMs(`l."sinceAt"`)})`;
    return (
      `insert into ${TOPIC_WAIT} ("id", "topic", "sequence", "workflowName", "instanceId", "runNumber", "stepKey") ` +
      `select s."id", o."name", case when l."sinceAfter" is not null then ${dialect.least(`l."sinceAfter"`, `o."sequence"`)} ` +
      `when l."sinceAt" is null then o."sequence" else coalesce(${first}, o."sequence") end, ` +
      `s."workflowName", s."instanceId", s."runNumber", s."stepKey" from ${leasedRows(dialect, giving, { columns: WAIT_COLUMNS })} ` +
      `${dialect.joinEach(STEP, "s", dialect.isKey(`s."id"`, `l."stepRowId"`))} ` +
      `${dialect.joinEach(TOPIC, "o", dialect.isKey(`o."name"`, `l."topic"`))} where ${filter(`s."status" = 'waiting'`)} ` +
      `on conflict ("id") do update set "topic" = excluded."topic", "sequence" = excluded."sequence" ` +
      `where ${TOPIC_WAIT}."topic" <> excluded."topic"`
    );
  },
};

/** The given waits that are no longer open. */
const ended = (dialect: Dialect, giving: Giving): string =>
  `select c."id" from ${givenRows(dialect, giving, ID_COLUMNS)} where not exists (` +
  `select 1 from ${STEP} as s where ${dialect.isKey(`s."id"`, `c."id"`)} and ${filter(`s."status" = 'waiting'`)})`;

export const deleteEndedWaits: RowsStatement = {
  columns: ID_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TOPIC_WAIT} where ${dialect.isKeyAmong(`"id"`, ended(dialect, giving))}`,
};

/** Deletes messages that were delivered to such a wait and not taken, because no other step may take them. */
export const deleteLeftEvents: RowsStatement = {
  columns: ID_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${EVENT} where ${dialect.isKeyAmong(`"id"`, ended(dialect, giving))} ` +
    `and ${filter(`"deliveredAt" is null`)}`,
};

/** A table, with the alias that its condition uses. */
interface OfWaits {
  readonly table: string;
  readonly alias: string;
  readonly isOf: (dialect: Dialect, wait: string) => string;
}

/** Locks the rows of a table that belong to the given waits, in a fixed order. */
const lockOfWaits = ({ table, alias, isOf }: OfWaits): RowsStatement => ({
  columns: ID_COLUMNS,
  text(dialect, giving) {
    const ids = `select ${alias}."id" from ${givenWaits(dialect, giving)} ${dialect.joinEach(table, alias, isOf(dialect, "w"))}`;
    return (
      `select k."id" from ${table} as k where ${dialect.isKeyAmong(`k."id"`, ids)} order by k."id" ` +
      dialect.forUpdate("k")
    );
  },
});

/** Locks the tasks of the given waits before their instances, as everything that stores an event for a run does. */
export const lockWaitTasks: RowsStatement = lockOfWaits({
  table: TASK,
  alias: "t",
  isOf: isTaskOf,
});

/** Locks the instances, after their tasks. */
export const lockWaitInstances: RowsStatement = lockOfWaits({
  table: INSTANCE,
  alias: "i",
  isOf: instanceOf,
});

/** Gives each wait the first message after its place, as an event. The event's row id is the step's, so it is stored once per step. */
export const insertTopicEvents: RowsStatement = {
  columns: ID_COLUMNS,
  text(dialect, giving) {
    const first =
      `m."topic" = w."topic" and m."sequence" = (select min(n."sequence") from ${MESSAGE} as n ` +
      `where n."topic" = w."topic" and n."sequence" > w."sequence")`;
    // As `withPosition` makes it.
    const placed = `'{"position":' || m."sequence" || case m."message" when '{}' then '}' else ',' || substr(m."message", 2) end`;
    return (
      `insert into ${EVENT} ("id", "workflowName", "instanceId", "runNumber", "type", "payload", "eventId", "sizeBytes", ` +
      `"createdAt") select w."id", w."workflowName", w."instanceId", w."runNumber", '${toTopicEvent("")}' || w."topic", ` +
      `${placed}, '${toTopicEventId("")}' || w."stepKey", m."sizeBytes", m."createdAt" from ${givenWaits(dialect, giving)} ` +
      `${dialect.joinEach(MESSAGE, "m", first)} ${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "w"))} ` +
      `${dialect.joinEach(STEP, "s", dialect.isKey(`s."id"`, `w."id"`))} ` +
      `where ${filter(`i."status" not in ('complete', 'errored', 'terminated') and s."status" = 'waiting'`)} ` +
      `on conflict do nothing`
    );
  },
};

/** Makes waiting runs due. Rows: those that became due. */
export const wakeWaitTasks: RowsStatement = {
  columns: ID_COLUMNS,
  text(dialect, giving) {
    const { clock } = dialect;
    const tasks =
      `select t."id" from ${givenWaits(dialect, giving)} ${dialect.joinEach(EVENT, "e", dialect.isKey(`e."id"`, `w."id"`))} ` +
      `${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "w"))} ${dialect.joinEach(TASK, "t", isTaskOf(dialect, "w"))} ` +
      `where ${filter(`e."deliveredAt" is null and i."status" = 'waiting'`)}`;
    return (
      `update ${TASK} as t set "kind" = 'wake', "priority" = 0, "runAt" = ${dialect.least(`t."runAt"`, clock)}, ` +
      `"updatedAt" = ${clock}, "_version" = t."_version" + 1 where ${dialect.isKeyAmong(`t."id"`, tasks)} ` +
      `and ${filter(`t."status" = 'pending'`)} returning "workflowName", "instanceId"${hint(dialect, "t", "true", ", ")}`
    );
  },
};

/** Deletes waits that have their message, or whose run does not wait any more. */
export const deleteServedWaits: RowsStatement = {
  columns: ID_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TOPIC_WAIT} where ${dialect.isKeyAmong(
      `"id"`,
      `select w."id" from ${givenWaits(dialect, giving)} where exists (select 1 from ${MESSAGE} as m ` +
        `where m."topic" = w."topic" and m."sequence" > w."sequence")`,
    )}`,
};

const topicTask = (dialect: Dialect): string =>
  dialect.isKeyAmong(
    `t."id"`,
    `select o."id" from ${TOPIC} as o where ${dialect.isKey(`o."name"`, dialect.param(1))}`,
  );

/** Parameters: topic. Keeps the task while the process that delivers continues. */
export const keepTopicTask = (dialect: Dialect): string => {
  const until = dialect.plusMs(dialect.clock, String(TOPIC_PATIENCE_MS));
  return (
    `update ${TASK} as t set "runAt" = case when t."status" = 'pending' then ${until} else t."runAt" end, ` +
    `"lockedUntil" = case when t."status" = 'processing' then ${until} end, "_version" = t."_version" + 1 ` +
    `where ${topicTask(dialect)}`
  );
};

/** Parameters: topic, sequence. Deletes the task when all waits have the messages up to this sequence, unless there is a later message. */
export const deleteTopicTask = (dialect: Dialect): string =>
  `delete from ${TASK} as t where ${topicTask(dialect)} and t."runNumber" <= ${dialect.param(2)} and not exists (` +
  `select 1 from ${TOPIC_WAIT} as w where w."topic" = ${dialect.param(1)} and w."sequence" < ${dialect.param(2)})`;

/** Parameters: topic, limit. Rows: open waits of live runs, among the first waits. */
export const listWaiters = (dialect: Dialect): string =>
  `select w."workflowName", w."instanceId", w."runNumber", w."stepKey", ${dialect.toMs(`s."wakeAt"`)} as "wakeAt" ` +
  `from (select t.* from ${TOPIC_WAIT} as t where t."topic" = ${dialect.param(1)} order by t."sequence", t."id" ` +
  `limit ${TOPIC_WAITS_SCANNED}) as w ${dialect.joinEach(STEP, "s", dialect.isKey(`s."id"`, `w."id"`))} ` +
  `${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "w"))} where ` +
  `${filter(`s."status" = 'waiting' and i."status" not in ('complete', 'errored', 'terminated')`)} ` +
  `order by w."sequence", w."id" limit ${dialect.param(2)}`;

/** @module Waits for messages of a topic, and how they get them. Loaded with the first of them. */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { TOPIC_PATIENCE_MS } from "../../../core/topic.ts";
import { toTopicEvent, toTopicEventId } from "../../../core/topic-event.ts";
import { type Giving, givenRows, type RowsStatement } from "./given-rows.ts";
import { hint } from "./hint.ts";
import { LEASE_COLUMNS, leasedRows, type LeasedRow } from "./leased-rows.ts";
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

/** FROM item `c`, and of each the wait `w`. */
const givenWaits = (dialect: Dialect, giving: Giving): string =>
  `${givenRows(dialect, giving, ID_COLUMNS)} ${dialect.joinEach(TOPIC_WAIT, "w", dialect.isKey(`w."id"`, `c."id"`))}`;

/** Those that are not there yet. Rows are given in the order of their names. */
export const insertTopics: RowsStatement = {
  columns: TOPIC_COLUMNS,
  text: (dialect, giving) =>
    `insert into ${TOPIC} ("id", "name", "sequence", "createdAt") select c."id", c."name", 0, ${dialect.clock} ` +
    `from ${givenRows(dialect, giving, TOPIC_COLUMNS)} where true on conflict do nothing`,
};

/** Until the commit nobody emits to them. */
export const lockTopics: RowsStatement = {
  columns: TOPIC_COLUMNS,
  text: (dialect, giving) =>
    `select o."id" from ${TOPIC} as o where ` +
    `${dialect.isKeyAmong(`o."name"`, `select c."name" from ${givenRows(dialect, giving, TOPIC_COLUMNS)}`)} ` +
    `order by o."name" ${dialect.forUpdate("o")}`,
};

/**
 * A wait that is open, with its place among the messages: behind the last one, before the first since an instant, or behind a given
 * one. Where there is none of its sequence yet, that is another database's.
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

/** Those of the given that are open no more. */
const ended = (dialect: Dialect, giving: Giving): string =>
  `select c."id" from ${givenRows(dialect, giving, ID_COLUMNS)} where not exists (` +
  `select 1 from ${STEP} as s where ${dialect.isKey(`s."id"`, `c."id"`)} and ${filter(`s."status" = 'waiting'`)})`;

export const deleteEndedWaits: RowsStatement = {
  columns: ID_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${TOPIC_WAIT} where ${dialect.isKeyAmong(`"id"`, ended(dialect, giving))}`,
};

/** Messages that such a wait was handed and did not take: no other step may. */
export const deleteLeftEvents: RowsStatement = {
  columns: ID_COLUMNS,
  text: (dialect, giving) =>
    `delete from ${EVENT} where ${dialect.isKeyAmong(`"id"`, ended(dialect, giving))} ` +
    `and ${filter(`"deliveredAt" is null`)}`,
};

/** A table, by the alias that its condition has for it. */
interface OfWaits {
  readonly table: string;
  readonly alias: string;
  readonly isOf: (dialect: Dialect, wait: string) => string;
}

/** Locks the rows of a table that the waits given have, in one order. */
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

/** Tasks of the waits given, before instances: as whoever stores an event for a run. */
export const lockWaitTasks: RowsStatement = lockOfWaits({
  table: TASK,
  alias: "t",
  isOf: isTaskOf,
});

/** After their tasks. */
export const lockWaitInstances: RowsStatement = lockOfWaits({
  table: INSTANCE,
  alias: "i",
  isOf: instanceOf,
});

/** Each gets the first message behind its place, as an event that is stored once for a step; its row id is the step's. */
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

/** Runs that wait. Rows: those that are due by it. */
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

/** Those that have got theirs, or whose run does not wait any more. */
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

/** Parameters: topic. Whoever hands on goes on with it. */
export const keepTopicTask = (dialect: Dialect): string => {
  const until = dialect.plusMs(dialect.clock, String(TOPIC_PATIENCE_MS));
  return (
    `update ${TASK} as t set "runAt" = case when t."status" = 'pending' then ${until} else t."runAt" end, ` +
    `"lockedUntil" = case when t."status" = 'processing' then ${until} end, "_version" = t."_version" + 1 ` +
    `where ${topicTask(dialect)}`
  );
};

/** Parameters: topic, sequence. Once all have the messages up to it, unless there is a later one. */
export const deleteTopicTask = (dialect: Dialect): string =>
  `delete from ${TASK} as t where ${topicTask(dialect)} and t."runNumber" <= ${dialect.param(2)} and not exists (` +
  `select 1 from ${TOPIC_WAIT} as w where w."topic" = ${dialect.param(1)} and w."sequence" < ${dialect.param(2)})`;

/** Parameters: topic, most. Rows: waits that are open, in runs that go on. */
export const listWaiters = (dialect: Dialect): string =>
  `select w."workflowName", w."instanceId", w."runNumber", w."stepKey", ${dialect.toMs(`s."wakeAt"`)} as "wakeAt" ` +
  `from ${TOPIC_WAIT} as w ${dialect.joinEach(STEP, "s", dialect.isKey(`s."id"`, `w."id"`))} ` +
  `${dialect.joinEach(INSTANCE, "i", instanceOf(dialect, "w"))} where w."topic" = ${dialect.param(1)} ` +
  `and ${filter(`s."status" = 'waiting' and i."status" not in ('complete', 'errored', 'terminated')`)} ` +
  `order by w."sequence", w."id" limit ${dialect.param(2)}`;

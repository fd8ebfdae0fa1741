/**
 * @module Reads instances for an export with their records: many small ones at a time, large ones page by page. Parameter 1 of
 * every statement: the instances, each with its place among them. Loaded with the first export.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { ITEM_BYTES } from "../../../ports/run-pages.ts";
import { COLUMN_NAMES } from "../columns.ts";
import { isInstanceKey } from "./instance-key.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, instanceColumns, PROGRESS, select, STEP, UNIQUE_STEP } from "./tables.ts";

/** Columns that no record shows, and that move with a row. */
export const MOVED_ALONG = {
  instance: ["controlKey", "keyNumber", "traceContext"],
  step: ["runNumber", "startedKeys"],
  event: ["runNumber", "reply", "traceContext"],
} as const;

/** The columns of an entry of a stream. */
export const ENTRY_COLUMNS: readonly string[] = [
  "sequence",
  "runNumber",
  "stepKey",
  "attempt",
  "createdAt",
  "value",
];

/** The rows of a page of records. */
export const PAGE_ROWS = 1000;
/** About how many bytes a page has. */
const PAGE_BYTES = 4_194_304;

const MEMBER: readonly JsonColumn[] = [
  { name: "workflowName", type: "text" },
  { name: "instanceId", type: "text" },
  { name: "member", type: "bigint" },
];

/** FROM item `g`. */
const given = (dialect: Dialect): string => dialect.jsonRows(dialect.param(1), "g", MEMBER);

/** FROM item: the given instances, with `i`, their rows. */
const members = (dialect: Dialect): string => {
  const key = { workflowName: `g."workflowName"`, instanceId: `g."instanceId"` };
  return `${given(dialect)} ${dialect.joinEach(INSTANCE, "i", isInstanceKey(dialect, { alias: "i", ...key }))}`;
};

interface PartsTable {
  readonly table: string;
  readonly members: readonly string[];
  /** Text columns of any length. */
  readonly texts: readonly string[];
  /** An index that begins with the instance. */
  readonly index: string;
}

const PARTS: Readonly<Record<"step" | "event" | "progress", PartsTable>> = {
  step: {
    table: STEP,
    members: [...COLUMN_NAMES.step, ...MOVED_ALONG.step],
    texts: ["result", "errorDetail", "failedAttempts"],
    index: UNIQUE_STEP,
  },
  event: {
    table: EVENT,
    members: [...COLUMN_NAMES.event, ...MOVED_ALONG.event],
    texts: ["payload", "reply"],
    index: "idx_history_workflow_event_workflows",
  },
  progress: {
    table: PROGRESS,
    members: ENTRY_COLUMNS,
    texts: ["value"],
    index: "unique_sequence_workflow_progress_workflows",
  },
};

const isOf = (alias: string): string =>
  `${alias}."workflowName" = g."workflowName" and ${alias}."instanceId" = g."instanceId"`;

const sizeOf = (dialect: Dialect, alias: string, texts: readonly string[]): string =>
  [
    ITEM_BYTES,
    ...texts.map((text) => `coalesce(${dialect.byteLength(`${alias}."${text}"`)}, 0)`),
  ].join(" + ");

const INSTANCE_TEXTS = ["params", "output", "errorDetail", "memo"];

/** Condition on open waits for topics. The name of the topic is in the type of the event that brings the message. */
const IS_TOPIC_WAIT = `s."type" = 'waitForTopic' and s."status" = 'waiting'`;

/** Rows: one for each existing instance. */
export function selectSizes(dialect: Dialect): string {
  const sums = Object.values(PARTS).map(
    ({ table, texts, index }) =>
      `coalesce((select sum(${sizeOf(dialect, "r", texts)}) from ${table} as r${dialect.byIndex(index)} where ${isOf("r")}), 0)`,
  );
  const waits = `select count(*) from ${STEP} as s${dialect.byIndex(UNIQUE_STEP)} where ${isOf("s")} and ${filter(IS_TOPIC_WAIT)}`;
  return (
    `select g."member", ${[sizeOf(dialect, "i", INSTANCE_TEXTS), ...sums].join(" + ")} as "sizeBytes", ` +
    `(${waits}) as "topicWaitCount" from ${members(dialect)}`
  );
}

/** Rows: the steps that wait for a message. */
export function selectTopicWaits(dialect: Dialect): string {
  const isOfRun = `${isOf("s")} and s."runNumber" = i."runNumber"`;
  return (
    `select s."id", s."type", s."status", s."waitEventType" from ${members(dialect)} ` +
    `${dialect.joinEach(STEP, "s", isOfRun, UNIQUE_STEP)} where ${filter(IS_TOPIC_WAIT)}`
  );
}

export const selectMovedInstances = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")}, ${select(dialect, "i", MOVED_ALONG.instance)} ` +
  `from ${members(dialect)} order by g."member"`;

/**
 * Parameters: the instance and the place to continue after. Rows in the order in which they were inserted, each with its
 * `place`, and with `among`, the number of rows that the page was cut from.
 */
const selectParts = (
  dialect: Dialect,
  { table, members: names, texts, index }: PartsTable,
): string => {
  // Not the column itself, or a database may avoid the sort by walking an index in this order from end to end.
  const place = `r."_internalId" + 0`;
  const isBehind = `g."member" > ${dialect.param(2)} or (g."member" = ${dialect.param(2)} and ${place} > ${dialect.param(3)})`;
  const rows =
    `select ${select(dialect, "r", names)}, g."member", ${place} as "place", ${sizeOf(dialect, "r", texts)} as "size" ` +
    `from ${given(dialect)} ${dialect.joinEach(table, "r", isOf("r"), index)} ` +
    `where ${isBehind} order by g."member", ${place} limit ${PAGE_ROWS}`;
  const upTo = `sum(q."size") over (order by q."member", q."place" rows unbounded preceding)`;
  return (
    `select p.* from (select q.*, ${upTo} as "upTo", count(*) over () as "among" from (${rows}) as q) as p ` +
    `where p."upTo" <= ${PAGE_BYTES} or p."upTo" = p."size" order by p."member", p."place"`
  );
};

export const selectMovedSteps = (dialect: Dialect): string => selectParts(dialect, PARTS.step);
export const selectMovedEvents = (dialect: Dialect): string => selectParts(dialect, PARTS.event);
export const selectMovedEntries = (dialect: Dialect): string =>
  selectParts(dialect, PARTS.progress);

/**
 * @module Instances that are taken to another store, as they are read, and as they are left behind. Parameters of every text:
 * workflow, instance, and those that it says. Loaded with the first of them.
 */
import type { Dialect } from "@escapement/db/client";
import { ITEM_BYTES } from "../../../ports/run-pages.ts";
import { COLUMN_NAMES } from "../columns.ts";
import { family, liveParent, memberColumns } from "./delete.ts";
import { isInstance, isOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import {
  EVENT,
  INSTANCE,
  INSTANCE_IDS,
  instanceColumns,
  PROGRESS,
  select,
  STEP,
  UNIQUE_STEP,
} from "./tables.ts";

/** Rows of a page of what an instance has. */
const PAGE_ROWS = 200;
/** Bytes of it, more or less. */
const PAGE_BYTES = 4_194_304;

/** FROM item: each of the family `f`, with its row `m`. */
const members = (dialect: Dialect): string =>
  `family as f ${dialect.joinEach(INSTANCE, "m", dialect.isKey(`m."id"`, `f."id"`), INSTANCE_IDS)}`;

/** Parameter: how many. */
export const selectFamily = (dialect: Dialect): string =>
  `with recursive ${family(dialect)} select m."workflowName", m."instanceId", m."status", ` +
  `m."parentWorkflowName", m."parentInstanceId" from ${members(dialect)} limit ${dialect.param(3)}`;

const markColumns = (dialect: Dialect): string => {
  const events = `select count(*) from ${EVENT} as e where e."workflowName" = m."workflowName" and e."instanceId" = m."instanceId"`;
  return (
    `select count(*) as "members", coalesce(sum(m."_version"), 0) as "version", coalesce(sum((${events})), 0) as "events" ` +
    `from ${members(dialect)}`
  );
};

export const selectMark = (dialect: Dialect): string =>
  `with recursive ${family(dialect)} ${markColumns(dialect)}`;

export const selectLiveParent = (dialect: Dialect): string =>
  `select ${memberColumns("p")} ${liveParent(dialect)}`;

export const selectMovedInstance = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")}, i."controlKey", i."keyNumber", i."traceContext" from ${INSTANCE} as i where ${isInstance(dialect, "i")}`;

interface PartsTable {
  readonly table: string;
  readonly members: readonly string[];
  /** Texts of any length. */
  readonly texts: readonly string[];
  readonly index?: string;
}

export const PARTS: Readonly<Record<"step" | "event" | "progress", PartsTable>> = {
  step: {
    table: STEP,
    members: [...COLUMN_NAMES.step, "runNumber", "startedKeys"],
    texts: ["result", "errorDetail", "failedAttempts"],
    index: UNIQUE_STEP,
  },
  event: {
    table: EVENT,
    members: [...COLUMN_NAMES.event, "runNumber", "reply", "traceContext"],
    texts: ["payload", "reply"],
  },
  progress: {
    table: PROGRESS,
    members: ["sequence", "runNumber", "stepKey", "attempt", "createdAt", "value"],
    texts: ["value"],
  },
};

/** Parameter: after which row. Rows in the order in which they were inserted, each with its `place`. */
const selectParts = (
  dialect: Dialect,
  { table, members: names, texts, index }: PartsTable,
): string => {
  const bytes = texts
    .map((text) => `coalesce(${dialect.byteLength(`r."${text}"`)}, 0)`)
    .join(" + ");
  // Not the column itself: an index in its order would spare the sort, and then be walked from end to end.
  const place = `r."_internalId" + 0`;
  const rows =
    `select ${select(dialect, "r", names)}, ${place} as "place", ${ITEM_BYTES} + ${bytes} as "size" ` +
    `from ${table} as r${index === undefined ? "" : dialect.byIndex(index)} ` +
    `where ${isOfInstance(dialect, "r")} and ${place} > ${dialect.param(3)} order by ${place} limit ${PAGE_ROWS}`;
  const upTo = `sum(q."size") over (order by q."place" rows unbounded preceding)`;
  return (
    `select p.* from (select q.*, ${upTo} as "upTo" from (${rows}) as q) as p ` +
    `where p."upTo" <= ${PAGE_BYTES} or p."upTo" = p."size" order by p."place"`
  );
};

export const selectMovedSteps = (dialect: Dialect): string => selectParts(dialect, PARTS.step);
export const selectMovedEvents = (dialect: Dialect): string => selectParts(dialect, PARTS.event);
export const selectMovedEntries = (dialect: Dialect): string =>
  selectParts(dialect, PARTS.progress);

/**
 * Parameters: members, version and events of the mark, then name and message of the error. Ends those that are paused; none where the
 * mark is another. Rows: one for each.
 */
export function closeMoved(dialect: Dialect): string {
  const { param, now } = dialect;
  const isSame =
    `exists (select 1 from mark as a where a."members" = ${param(3)} and a."version" = ${param(4)} ` +
    `and a."events" = ${param(5)})`;
  return (
    `with recursive ${family(dialect)}, mark as materialized (${markColumns(dialect)}) update ${INSTANCE} set ` +
    `"status" = 'terminated', "errorName" = ${param(6)}, "errorMessage" = ${param(7)}, "errorDetail" = null, ` +
    `"completedAt" = ${now}, "updatedAt" = ${now}, "_version" = "_version" + 1 ` +
    `where ${dialect.isKeyAmong(`"id"`, `select f."id" from family as f`)} and ${filter(`"status" = 'paused'`)} and ${isSame} returning "id"`
  );
}

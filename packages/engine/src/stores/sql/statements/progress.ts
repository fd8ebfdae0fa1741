/**
 * @module Progress streams. A commit that adds to a stream holds the task of its run, so the order of commits is the order of
 * sequences, and a stream has no gaps. Loaded with the first entry or the first reader.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { PROGRESS_PAGE_BYTES } from "../../../core/progress.ts";
import { givenRows, type RowsStatement } from "./given-rows.ts";
import { LEASE_COLUMNS, leaseHeld, leasedRows } from "./leased-rows.ts";
import type { LeasedRow } from "../rows.ts";
import { isInstance, isOfInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { INSTANCE, PROGRESS, TASK } from "./tables.ts";

/** An entry that a commit adds. */
export interface EntryRow extends LeasedRow {
  readonly commitNumber: number;
  /** Its place among the commit's entries. */
  readonly place: number;
  readonly id: string;
  readonly stepKey: string;
  readonly attempt?: number;
  readonly sizeBytes: number;
  readonly value: string;
}

const ENTRY_COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "commitNumber", type: "bigint" },
  { name: "place", type: "bigint" },
  { name: "id", type: "text" },
  { name: "stepKey", type: "text" },
  { name: "attempt", type: "bigint" },
  { name: "sizeBytes", type: "bigint" },
  { name: "value", type: "text" },
];

/** Condition: `alias` is the entry at the end of an instance's stream. */
const isEnd = (alias: string, end: "min" | "max", isOf: (alias: string) => string): string =>
  `${isOf(alias)} and ${alias}."sequence" = ` +
  `(select ${end}(k."sequence") from ${PROGRESS} as k where ${isOf("k")})`;

/**
 * Adds entries after the newest one of their instance. The newest one has the number of the commit that added it, so a commit
 * that comes again or late adds nothing.
 */
export const insertEntries: RowsStatement = {
  columns: ENTRY_COLUMNS,
  text(dialect, giving) {
    const isOfTask = (alias: string): string =>
      `${alias}."workflowName" = t."workflowName" and ${alias}."instanceId" = t."instanceId"`;
    const order = `over (partition by t."id" order by c."place")`;
    return (
      `insert into ${PROGRESS} ("id", "workflowName", "instanceId", "sequence", "runNumber", "stepKey", "attempt", ` +
      `"sizeBytes", "totalBytes", "token", "commitNumber", "createdAt", "value") ` +
      `select c."id", t."workflowName", t."instanceId", coalesce(n."sequence", 0) + row_number() ${order}, t."runNumber", ` +
      `c."stepKey", c."attempt", c."sizeBytes", coalesce(n."totalBytes", 0) + sum(c."sizeBytes") ${order}, c."token", ` +
      `c."commitNumber", ${dialect.clock}, c."value" from ${givenRows(dialect, giving, ENTRY_COLUMNS)} ` +
      `${dialect.joinEach(TASK, "t", leaseHeld(dialect, giving))} ` +
      `${dialect.leftJoinEach(PROGRESS, "n", isEnd("n", "max", isOfTask))} ` +
      `where ${filter(`n."id" is null or n."token" <> c."token" or n."commitNumber" < c."commitNumber"`)}`
    );
  },
};

/** A run whose commit adds entries, and the limits of its stream. */
export interface TrimmedStreamRow extends LeasedRow {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** The most entries to remove at once: as many as were added, and some that an earlier commit has left. */
  readonly most: number;
}

const TRIM_COLUMNS: readonly JsonColumn[] = [
  ...LEASE_COLUMNS,
  { name: "maxEntries", type: "bigint" },
  { name: "maxBytes", type: "bigint" },
  { name: "most", type: "bigint" },
];

/** Removes the oldest entries of streams that are too large. If there is nothing to remove, it reads two rows. The newest entry stays. */
export const trimStreams: RowsStatement = {
  columns: TRIM_COLUMNS,
  text(dialect, giving) {
    const isOfLease = (alias: string): string =>
      `${alias}."workflowName" = l."leaseWorkflowName" and ${alias}."instanceId" = l."leaseInstanceId"`;
    const isTooMuch = (alias: string): string =>
      `(${alias}."sequence" <= n."sequence" - l."maxEntries" ` +
      `or ${alias}."totalBytes" - ${alias}."sizeBytes" < n."totalBytes" - l."maxBytes")`;
    const gone =
      `${isOfLease("p")} and p."sequence" >= o."sequence" and p."sequence" < o."sequence" + l."most" ` +
      `and p."sequence" < n."sequence"`;
    return `delete from ${PROGRESS} where ${dialect.isKeyAmong(
      `"id"`,
      `select p."id" from ${leasedRows(dialect, giving, { columns: TRIM_COLUMNS })} ` +
        `${dialect.joinEach(PROGRESS, "n", isEnd("n", "max", isOfLease))} ` +
        `${dialect.joinEach(PROGRESS, "o", `${isEnd("o", "min", isOfLease)} and ${filter(isTooMuch("o"))}`)} ` +
        `${dialect.joinEach(PROGRESS, "p", gone)} where ${filter(isTooMuch("p"))}`,
    )}`;
  },
};

/** Parameters: workflow, instance. Rows: the instance's state and its newest entry, if the instance exists. */
export const selectStream = (dialect: Dialect): string =>
  `select i."status", i."runNumber", coalesce((select max(p."sequence") from ${PROGRESS} as p ` +
  `where ${isOfInstance(dialect, "p")}), 0) as "newest" from ${INSTANCE} as i where ${isInstance(dialect, "i")}`;

/** Parameters: workflow, instance, the sequence to continue after, how many. Rows: the next entries; the first may have any size. */
export const selectEntries = (dialect: Dialect): string => {
  const first =
    `(select k."sequence", k."totalBytes" - k."sizeBytes" as "before" from ${PROGRESS} as k ` +
    `where ${isOfInstance(dialect, "k")} and k."sequence" > ${dialect.param(3)} order by k."sequence" limit 1) as f`;
  const page =
    `${isOfInstance(dialect, "p")} and p."sequence" >= f."sequence" ` +
    `and p."sequence" < f."sequence" + cast(${dialect.param(4)} as bigint)`;
  return (
    `select p."sequence", p."runNumber", p."stepKey", p."attempt", ${dialect.toMs(`p."createdAt"`)} as "createdAt", p."value" ` +
    `from ${first} ${dialect.joinEach(PROGRESS, "p", page)} ` +
    `where ${filter(`p."sequence" = f."sequence" or p."totalBytes" <= f."before" + ${PROGRESS_PAGE_BYTES}`)} ` +
    `order by p."sequence"`
  );
};

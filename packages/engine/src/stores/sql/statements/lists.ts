/** Reads instances and histories page by page. A page reads one row more than it shows. */
import type { Dialect } from "@escapement/db/client";
import { ITEM_BYTES } from "../../../ports/run-pages.ts";
import { PAGE_BYTES } from "../../../ports/pages.ts";
import { toColumn } from "../columns.ts";
import { isOfInstance } from "./lock.ts";
import { EVENT, INSTANCE, PAGE_COLUMNS, select, STEP } from "./tables.ts";

/** The index of a workflow's instances by time of creation. */
export const NEWEST = "idx_createdAt_workflow_instance_workflows";

/** Selects one of a list's four statements: with or without a status, the first page or a later one. */
export interface ListVariant {
  readonly byStatus: boolean;
  readonly isLaterPage: boolean;
}

/**
 * Parameters: workflow, limit, largest payload, then status if any, then the position's instant and id if any. Newest first, by
 * values that never change, also with a status. Otherwise, a row that moves between two pages would be missed or seen twice.
 */
export function listInstances(dialect: Dialect, variant: ListVariant): string {
  const { byStatus, isLaterPage } = variant;
  return boundedPage(dialect, {
    columns: PAGE_COLUMNS.instance,
    payload: "output",
    texts: ["errorMessage", "errorDetail", "tags", "memo"],
    table: INSTANCE,
    ...(byStatus
      ? ofStatus(dialect, isLaterPage)
      : {
          index: NEWEST,
          where:
            `r."workflowName" = ${dialect.param(1)}` +
            (isLaterPage ? ` and ${isAfter(dialect, { at: 4, comparison: "<" })}` : ""),
        }),
    limit: 2,
    maxPayload: 3,
    direction: "desc",
    maxBytes: PAGE_BYTES,
  });
}

/**
 * The newest instances of one status, by the index of statuses. SQLite is told that a status is rare, whatever its statistics
 * say, so that it uses the index of statuses, or the one of times in a database without it. On Postgres, the status is written
 * as a range that the order begins with, so that no other index gives the order. With an equality, a plan that was made while
 * the table was small would walk the workflow's newest instances until the page is full.
 */
function ofStatus(
  dialect: Dialect,
  isLaterPage: boolean,
): Pick<BoundedPage, "where" | "orderFirst"> {
  const [workflowName, status] = [dialect.param(1), dialect.param(4)];
  const after = isLaterPage ? ` and ${isAfter(dialect, { at: 5, comparison: "<" })}` : "";
  const ofWorkflow = `r."workflowName" = ${workflowName}`;
  if (dialect.name === "sqlite") {
    const isRare = `likelihood(r."status" = ${status}, 0.0001)`;
    // True for every row. It makes an index with times better than one without.
    return { where: `${ofWorkflow} and r."createdAt" >= 0 and ${isRare}${after}` };
  }
  const upTo = isLaterPage
    ? `(r."status", r."createdAt") <= (${status}, ${dialect.fromMs(dialect.param(5))})`
    : `r."status" <= ${status}`;
  const where = `${ofWorkflow} and r."status" >= ${status} and ${upTo}${after}`;
  return { where, orderFirst: "status" };
}

/** Parameters: workflow, instance, run number, limit, largest payload, then the position's instant and id if any. */
export const listSteps = (dialect: Dialect, isLaterPage: boolean): string =>
  boundedPage(dialect, {
    ...ofRun(dialect, isLaterPage),
    columns: PAGE_COLUMNS.step,
    payload: "result",
    texts: ["name", "stepKey", "errorMessage", "errorDetail", "failedAttempts"],
    table: STEP,
  });

/** Like `listSteps`. */
export const listEvents = (dialect: Dialect, isLaterPage: boolean): string =>
  boundedPage(dialect, {
    ...ofRun(dialect, isLaterPage),
    columns: PAGE_COLUMNS.event,
    payload: "payload",
    texts: [],
    table: EVENT,
  });

const ofRun = (
  dialect: Dialect,
  isLaterPage: boolean,
): Omit<BoundedPage, "columns" | "payload" | "texts" | "table"> => ({
  where:
    `${isOfInstance(dialect, "r")} and r."runNumber" = ${dialect.param(3)}` +
    (isLaterPage ? ` and ${isAfter(dialect, { at: 6, comparison: ">" })}` : ""),
  limit: 4,
  maxPayload: 5,
  direction: "asc",
  maxBytes: PAGE_BYTES / 2,
});

interface BoundedPage {
  /** Members of a row. */
  readonly columns: readonly string[];
  /** The column that is read only if it is shown. */
  readonly payload: string;
  /** Other columns that may be long. */
  readonly texts: readonly string[];
  readonly table: string;
  /** The index for SQLite, if it would choose a wrong one. @default it chooses */
  readonly index?: string;
  /** The FROM item of `r`, a row of the table. @default the table, by the index */
  readonly from?: string;
  readonly where: string;
  /** A column with the same value in all rows, by which they are ordered first. */
  readonly orderFirst?: string;
  /** Positions of parameters. */
  readonly limit: number;
  readonly maxPayload: number;
  readonly direction: "asc" | "desc";
  /** A number, or an expression. */
  readonly maxBytes: number | string;
}

/**
 * Rows in order, as long as their sum of bytes is within the bound, but at least one. `found` is how many there are, up to the
 * limit. Sizes are known without reading large values, and a payload is only read for a row in the page.
 */
export function boundedPage(dialect: Dialect, page: BoundedPage): string {
  const { columns, payload, texts, table, direction, orderFirst } = page;
  const max = `cast(${dialect.param(page.maxPayload)} as bigint)`;
  const orderOf = [...(orderFirst === undefined ? [] : [orderFirst]), "createdAt", "id"];
  const order = (alias: string): string =>
    `order by ${orderOf.map((name) => `${alias}."${name}" ${direction}`).join(", ")}`;
  const textBytes = texts.map((name) => ` + coalesce(${dialect.byteLength(`r."${name}"`)}, 0)`);
  return (
    `select ${select(dialect, "p", columns)}, p."found", ` +
    `case when p."payloadBytes" <= ${max} then (select x."${payload}" from ${table} as x where x."id" = p."id") end as "${payload}", ` +
    `case when p."payloadBytes" > ${max} then p."payloadBytes" end as "omittedBytes" from (` +
    `select s.*, count(*) over () as "found", sum(s."size") over (${order("s")}) as "upTo" from (` +
    `select h.*, h."otherBytes" + case when h."payloadBytes" <= ${max} then h."payloadBytes" else 0 end as "size" from (` +
    `select ${columns.map((member) => `r."${toColumn(member)}"`).join(", ")}, ${dialect.byteLength(`r."${payload}"`)} as "payloadBytes", ` +
    `${ITEM_BYTES}${textBytes.join("")} as "otherBytes" ` +
    `from ${page.from ?? `${table} as r${page.index === undefined ? "" : dialect.byIndex(page.index)}`} where ${page.where} ${order("r")} limit ${dialect.param(page.limit)}) as h) as s) as p ` +
    `where p."upTo" <= ${page.maxBytes} or p."upTo" = p."size" ${order("p")}`
  );
}

interface Position {
  /** The position of the instant's parameter; the id's is the next one. */
  readonly at: number;
  readonly comparison: "<" | ">";
}

// Not `(createdAt, id) < (…)`: with the first half alone, every database can start from the index.
function isAfter(dialect: Dialect, { at, comparison }: Position): string {
  const instant = dialect.fromMs(dialect.param(at));
  return (
    `r."createdAt" ${comparison}= ${instant} ` +
    `and (r."createdAt" <> ${instant} or r."id" ${comparison} ${dialect.param(at + 1)})`
  );
}

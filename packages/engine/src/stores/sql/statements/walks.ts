/**
 * @module Walks through instances along an index, newest first and bounded: those of a workflow, of one of its statuses, or the
 * children of one parent. Loaded with the first call.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { MAX_BRANCHES } from "../../../ports/find-instances.ts";
import { NEWEST } from "./lists.ts";
import { INSTANCE } from "./tables.ts";

/** A walk, and its conditions. Absent: anything matches. */
export interface BranchRow {
  readonly workflowName: string;
  readonly status?: string;
  /** The position after which the walk begins. */
  readonly at: number;
  readonly id: string;
  readonly createdFrom: number;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
  /** A tag as JSON text, in quotes. */
  readonly tag?: string;
  readonly idPrefix?: string;
  /** The beginning of an error's details with the code. */
  readonly detailPrefix?: string;
  readonly parentName?: string;
  readonly parentId?: string;
}

/** The first five are those of walks without conditions. */
export const BRANCH_COLUMNS: readonly JsonColumn[] = [
  { name: "workflowName", type: "text" },
  { name: "status", type: "text" },
  { name: "at", type: "bigint" },
  { name: "id", type: "text" },
  { name: "createdFrom", type: "bigint" },
  { name: "updatedFrom", type: "bigint" },
  { name: "updatedBefore", type: "bigint" },
  { name: "tag", type: "text" },
  { name: "idPrefix", type: "text" },
  { name: "detailPrefix", type: "text" },
  { name: "parentName", type: "text" },
  { name: "parentId", type: "text" },
];

/** FROM item: the branches of parameter 1 under an alias, up to `most` of them. */
export function branches(dialect: Dialect, alias = "b", most: number = MAX_BRANCHES): string {
  const rows = dialect.jsonRows(dialect.param(1), "j", BRANCH_COLUMNS);
  // The limit makes SQLite read it once. Otherwise it would read the JSON again for each condition on each row.
  return `(select j.* from ${rows} limit ${most}) as ${alias}`;
}

/** The rows of a branch `b`, in the order of its index. */
export interface Walk {
  /** Gives rows named `r`. */
  readonly from: string;
  readonly where: string;
  readonly order: string;
  /** A condition on a row of the walk, in addition to `matches`. @default every row */
  readonly isAsked?: string;
}

const NEWEST_FIRST = `r."createdAt" desc, r."id" desc`;

const CREATED_FROM = `b."createdFrom"`;

/** @param first expression: the instant from which on the walk's instances were created */
export const ofWorkflow = (dialect: Dialect, first: string = CREATED_FROM): Walk => ({
  from: `${INSTANCE} as r${dialect.byIndex(NEWEST)}`,
  where: `r."workflowName" = b."workflowName" and r."createdAt" >= ${dialect.fromMs(first)}`,
  order: NEWEST_FIRST,
});

/** Written as in `listInstances` by status, for the same reasons. @param first as for `ofWorkflow` */
export function ofStatus(dialect: Dialect, first: string = CREATED_FROM): Walk {
  const createdFrom = dialect.fromMs(first);
  const ofOne = `r."workflowName" = b."workflowName"`;
  if (dialect.name === "sqlite")
    return {
      from: `${INSTANCE} as r`,
      where: `${ofOne} and r."createdAt" >= ${createdFrom} and likelihood(r."status" = b."status", 0.0001)`,
      order: NEWEST_FIRST,
    };
  return {
    from: `${INSTANCE} as r`,
    where:
      `${ofOne} and (r."status", r."createdAt") >= (b."status", ${createdFrom}) ` +
      `and (r."status", r."createdAt") <= (b."status", ${dialect.fromMs(`b."at"`)})`,
    order: `r."status" desc, ${NEWEST_FIRST}`,
  };
}

const TEXT_ROWS: readonly JsonColumn[] = [{ name: "is", type: "text" }];

/** The children of a parent, of all workflows and statuses whose names are the JSON rows of two parameters, from the position `names` on. */
export function ofParent(dialect: Dialect, names: number): Walk {
  const among = (column: string, position: number): string =>
    dialect.isKeyAmong(
      `r."${column}"`,
      `select n."is" from ${dialect.jsonRows(dialect.param(position), "n", TEXT_ROWS)} where n."is" is not null`,
    );
  return {
    // A database that was not migrated has no index of children by creation, and uses the one by parents.
    from: `${INSTANCE} as r`,
    where:
      `r."parentWorkflowName" = b."parentName" and r."parentInstanceId" = b."parentId" ` +
      `and r."createdAt" >= ${dialect.fromMs(`b."createdFrom"`)}`,
    order: NEWEST_FIRST,
    isAsked: `${among("workflowName", names)} and ${among("status", names + 1)}`,
  };
}

/** Condition: a row `r` comes after the position of its branch `b`. */
export function isBehind(dialect: Dialect): string {
  const at = dialect.fromMs(`b."at"`);
  return `r."createdAt" <= ${at} and (r."createdAt" <> ${at} or r."id" < b."id")`;
}

/** Condition: a row `r` matches its branch `b`. A tag that is found in the text may still be part of another one. */
export function matches(dialect: Dialect): string {
  const begins = (text: string, prefix: string): string =>
    `substr(${text}, 1, length(${prefix})) = ${prefix}`;
  const place = dialect.name === "postgres" ? "strpos" : "instr";
  const hasTag = `(${begins(`r."tags"`, `'[' || b."tag"`)} or ${place}(r."tags", ',' || b."tag") > 0)`;
  const conditions: readonly (readonly [asked: string, condition: string])[] = [
    ["updatedFrom", `r."updatedAt" >= ${dialect.fromMs(`b."updatedFrom"`)}`],
    ["updatedBefore", `r."updatedAt" < ${dialect.fromMs(`b."updatedBefore"`)}`],
    ["idPrefix", begins(`r."instanceId"`, `b."idPrefix"`)],
    ["tag", hasTag],
    ["detailPrefix", begins(`r."errorDetail"`, `b."detailPrefix"`)],
    [
      "parentId",
      `(r."parentInstanceId" = b."parentId" and r."parentWorkflowName" = b."parentName")`,
    ],
  ];
  return conditions.map(([asked, is]) => `(b."${asked}" is null or ${is})`).join(" and ");
}

/** SELECT for every walk: the rows that match, and the last one if there may be more. @param most how many rows each walk looks at @default parameter 4 */
export function lookedAt(
  dialect: Dialect,
  { from, where, order, isAsked = "true" }: Walk,
  most: string = dialect.param(4),
): string {
  const shown =
    `r."id", ${dialect.toMs(`r."createdAt"`)} as "at", ` +
    `case when ${matches(dialect)} and ${isAsked} then 1 else 0 end as "isMatch"`;
  const rows = `select ${shown} from ${from} where ${where} and ${isBehind(dialect)} order by ${order} limit ${most}`;
  const counted =
    `select w.*, case when row_number() over (order by w."at" desc, w."id" desc) = ${most} then 1 else 0 end as "isCut" ` +
    `from (${rows}) as w`;
  const kept = `select n.* from (${counted}) as n where n."isMatch" = 1 or n."isCut" = 1`;
  return ofEachBranch(dialect, kept, ["id", "at", "isMatch", "isCut"]);
}

const number = (dialect: Dialect, position: number): string =>
  `cast(${dialect.param(position)} as bigint)`;

/** SELECT of when a few rows of each walk were created, with their places in it. Parameter 6: how many are a few. */
export function fewOfEach(dialect: Dialect, { from, where, order }: Walk): string {
  const rows =
    `select ${dialect.toMs(`r."createdAt"`)} as "at" from ${from} where ${where} ` +
    `and r."createdAt" < ${dialect.fromMs(`b."at"`)} order by ${withoutId(order)} limit ${dialect.param(6)}`;
  const placed = `select w."at", row_number() over (order by w."at" desc) as "place" from (${rows}) as w`;
  return ofEachBranch(dialect, placed, ["at", "place"]);
}

/**
 * SELECT of one row, from the CTE "few" of `fewOfEach`. `since`: when the last row of the page was created, or earlier; null: not
 * known. Without a filter, walks need not look at older ones, because so many rows of "few" are as new. `most`: how many rows each
 * walk looks at. With a filter, walks without a few rows leave their share to the others. Parameters 2 and 4: as for `lookedAt`;
 * 7: how many rows all walks look at together, or 0 without a filter.
 */
export function sharesOf(dialect: Dialect): string {
  const [limit, most, few, together] = [2, 4, 6, 7].map((position) => number(dialect, position));
  const since = `select f."at" from "few" as f where ${together} = 0 order by f."at" desc limit 1 offset ${limit} - 1`;
  const share = `${together} / n."busy"`;
  return (
    `select (${since}) as "since", case when n."busy" > 0 and ${share} > ${most} then ${share} else ${most} end as "most" ` +
    `from (select count(*) as "busy" from "few" as f where f."place" = ${few}) as n`
  );
}

/** Drops the order by id, for rows that need no order among those of one time. */
export const withoutId = (order: string): string => order.replace(`, r."id" desc`, "");

/** SELECT of the rows that a SELECT gives for each branch `b`. @param members its columns, each with the same meaning as JSON */
export function ofEachBranch(dialect: Dialect, rows: string, members: readonly string[]): string {
  if (dialect.name === "postgres")
    return `select m.* from ${branches(dialect)} cross join lateral (${rows}) as m`;
  const json = members.map((name) => `'${name}', n."${name}"`).join(", ");
  const read = members.map((name) => `m.value->>'${name}' as "${name}"`).join(", ");
  return (
    `select ${read} from ${branches(dialect)} cross join ` +
    `json_each((select json_group_array(json_object(${json})) from (${rows}) as n)) as m`
  );
}

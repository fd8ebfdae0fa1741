/**
 * @module Instances over workflows. Each workflow, or each of its statuses, is a walk of its own along an index, newest first and
 * bounded; what the walks have found is put in order. Loaded with the first look.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { PAGE_BYTES } from "../../../ports/pages.ts";
import { boundedPage, NEWEST } from "./lists.ts";
import { INSTANCE, INSTANCE_IDS, PAGE_COLUMNS } from "./tables.ts";

/** A walk, and what it looks for. Absent: anything. */
export interface BranchRow {
  readonly workflowName: string;
  readonly status?: string;
  /** The position that the walk begins behind. */
  readonly at: number;
  readonly id: string;
  readonly createdFrom: number;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
  /** A tag as JSON text has it, in quotes. */
  readonly tag?: string;
  readonly idPrefix?: string;
  /** How the details of an error with the code begin. */
  readonly detailPrefix?: string;
}

const BRANCH_COLUMNS: readonly JsonColumn[] = [
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
];

/** Parameters: branches as JSON, limit, largest payload, rows that each walk looks at. */
export const findNewest = (dialect: Dialect): string => find(dialect, ofWorkflow(dialect));

/** As `findNewest`, where each branch has a status. */
export const findByStatus = (dialect: Dialect): string => find(dialect, ofStatus(dialect));

/** The rows of a walk in the order of its index. */
interface Walk {
  readonly from: string;
  readonly where: string;
  readonly order: string;
}

const NEWEST_FIRST = `r."createdAt" desc, r."id" desc`;

const ofWorkflow = (dialect: Dialect): Walk => ({
  from: `${INSTANCE} as r${dialect.byIndex(NEWEST)}`,
  where: `r."workflowName" = b."workflowName" and r."createdAt" >= ${dialect.fromMs(`b."createdFrom"`)}`,
  order: NEWEST_FIRST,
});

/** Said as in `listInstances` by status, and for the same reasons. */
function ofStatus(dialect: Dialect): Walk {
  const createdFrom = dialect.fromMs(`b."createdFrom"`);
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

function find(dialect: Dialect, walk: Walk): string {
  const page =
    `(select l."id" from "looked" as l where l."isMatch" = 1 and not exists (select 1 from "cut" as c ` +
    `where l."at" < c."at" or (l."at" = c."at" and l."id" < c."id")) ` +
    `order by l."at" desc, l."id" desc limit ${dialect.param(2)}) as k`;
  const shown = boundedPage(dialect, {
    columns: PAGE_COLUMNS.instance,
    payload: "output",
    texts: ["errorMessage", "errorDetail", "tags", "memo"],
    table: INSTANCE,
    from: `${page} ${dialect.joinEach(INSTANCE, "r", dialect.isKey(`r."id"`, `k."id"`), INSTANCE_IDS)}`,
    where: "true",
    limit: 2,
    maxPayload: 3,
    direction: "desc",
    maxBytes: PAGE_BYTES,
  });
  return (
    `with "looked" as materialized (${looked(dialect, walk)}), ` +
    // Behind the end of any walk that was not at its own end, not all is known.
    `"cut" as (select l."at", l."id" from "looked" as l where l."isCut" = 1 order by l."at" desc, l."id" desc limit 1) ` +
    `select c."at" as "cutAt", c."id" as "cutId", q.* from (select 1 as "one") as o ` +
    `left join "cut" as c on true left join (${shown}) as q on true`
  );
}

/** Of every walk: the rows that match, and the last one where there may be more. */
function looked(dialect: Dialect, walk: Walk): string {
  const at = dialect.fromMs(`b."at"`);
  const rows =
    `select r."id", ${dialect.toMs(`r."createdAt"`)} as "at", case when ${matches(dialect)} then 1 else 0 end as "isMatch" ` +
    `from ${walk.from} where ${walk.where} and r."createdAt" <= ${at} and (r."createdAt" <> ${at} or r."id" < b."id") ` +
    `order by ${walk.order} limit ${dialect.param(4)}`;
  const counted =
    `select w.*, case when row_number() over (order by w."at" desc, w."id" desc) = ${dialect.param(4)} then 1 else 0 end as "isCut" ` +
    `from (${rows}) as w`;
  const kept = `(${counted}) as n where n."isMatch" = 1 or n."isCut" = 1`;
  const branches = dialect.jsonRows(dialect.param(1), "b", BRANCH_COLUMNS);
  const members = ["id", "at", "isMatch", "isCut"];
  if (dialect.name === "postgres")
    return `select m.* from ${branches} cross join lateral (select n.* from ${kept}) as m`;
  const json = members.map((name) => `'${name}', n."${name}"`).join(", ");
  const read = members.map((name) => `m.value->>'${name}' as "${name}"`).join(", ");
  return (
    `select ${read} from ${branches} cross join ` +
    `json_each((select json_group_array(json_object(${json})) from ${kept})) as m`
  );
}

/** Condition: a row of a walk is looked for. A tag that is found in the text may still be a part of another one. */
function matches(dialect: Dialect): string {
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
  ];
  return conditions.map(([asked, is]) => `(b."${asked}" is null or ${is})`).join(" and ");
}

const COUNT_COLUMNS: readonly JsonColumn[] = BRANCH_COLUMNS.slice(0, 5);

/** Parameters: branches as JSON, each with a status, and the cap. */
export function countByStatus(dialect: Dialect): string {
  const { from, where, order } = ofStatus(dialect);
  return (
    `select b."workflowName", b."status", (select count(*) from (select r."createdAt" from ${from} where ${where} ` +
    `order by ${order.replace(`, r."id" desc`, "")} limit ${dialect.param(2)}) as c) as "count" ` +
    `from ${dialect.jsonRows(dialect.param(1), "b", COUNT_COLUMNS)}`
  );
}

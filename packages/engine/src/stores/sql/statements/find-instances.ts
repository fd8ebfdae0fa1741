/**
 * @module Instances over workflows. Each workflow, or each of its statuses, is a walk of its own along an index, newest first and
 * bounded; what the walks have found is put in order. Loaded with the first look.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { MAX_IN_ORDER } from "../../../ports/find-instances.ts";
import { PAGE_BYTES } from "../../../ports/pages.ts";
import { boundedPage, NEWEST } from "./lists.ts";
import { isInstanceKey } from "./instance-key.ts";
import { isStuck, stuckKeys } from "./stuck.ts";
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
  readonly parentName?: string;
  readonly parentId?: string;
  readonly isStuck?: true;
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
  { name: "parentName", type: "text" },
  { name: "parentId", type: "text" },
  { name: "isStuck", type: "boolean" },
];

/** Parameters: branches as JSON, limit, largest payload, rows that each walk looks at. */
export const findNewest = (dialect: Dialect): string => find(dialect, ofWorkflow(dialect));

/** As `findNewest`, where each branch has a status. */
export const findByStatus = (dialect: Dialect): string => find(dialect, ofStatus(dialect));

/**
 * As `findNewest`, of the children of one instance: a single branch, whose workflow is not looked at. Further parameters: names of
 * workflows and statuses, each as JSON rows, then the parent's workflow and id.
 */
export const findChildren = (dialect: Dialect): string => find(dialect, ofParent(dialect));

/** Parameters: the parent's workflow and id. How many children there are, up to one more than are put in order at once. */
export const countChildren = (dialect: Dialect): string =>
  `select count(*) as "count" from (select 1 from ${INSTANCE} as r where ${isChild(dialect, 1)} limit ${MAX_IN_ORDER + 1}) as c`;

/** As `findChildren`, of instances that are stuck: in the place of the parent, names of the workflows as `firstOfEach` takes them. */
export const findStuck = (dialect: Dialect): string => find(dialect, ofStuck(dialect));

/** Parameters: names of workflows as `firstOfEach` takes them. How many may be stuck, up to one more than are put in order at once. */
export const countStuck = (dialect: Dialect): string =>
  `select count(*) as "count" from (${stuckKeys(dialect, 1, MAX_IN_ORDER + 1)}) as c`;

/** As `countOfParent`, with names in the place of the parent. */
export const countOfStuck = (dialect: Dialect): string => countOf(dialect, ofStuck(dialect, 2));

const isChild = (dialect: Dialect, at: number): string =>
  `r."parentWorkflowName" = ${dialect.param(at)} and r."parentInstanceId" = ${dialect.param(at + 1)}`;

const TEXT_ROWS: readonly JsonColumn[] = [{ name: "is", type: "text" }];

/** What is looked at of instances that are put in order at once. */
const LOOKED_COLUMNS = [
  "id",
  "workflowName",
  "instanceId",
  "runNumber",
  "status",
  "createdAt",
  "updatedAt",
  "tags",
  "errorDetail",
  "parentWorkflowName",
  "parentInstanceId",
].map((name) => `r."${name}"`);

/** @param at position of the names' parameter, which those of statuses and the parent follow */
const ofParent = (dialect: Dialect, at = 5): Walk => {
  const from =
    `(select ${LOOKED_COLUMNS.join(", ")} from ${INSTANCE} as r${dialect.byIndex(CHILDREN)} ` +
    `where ${isChild(dialect, at + 2)} limit ${MAX_IN_ORDER + 1}) as ${FEW}`;
  return inOrder(dialect, from, at);
};

/** @param at as of `ofParent` */
const ofStuck = (dialect: Dialect, at = 5): Walk => {
  const key = { alias: "r", workflowName: `d."workflowName"`, instanceId: `d."instanceId"` };
  const from =
    `(select ${LOOKED_COLUMNS.join(", ")} from (${stuckKeys(dialect, at + 2, MAX_IN_ORDER + 1)}) as d ` +
    `${dialect.joinEach(INSTANCE, "r", isInstanceKey(dialect, key))}) as ${FEW}`;
  return inOrder(dialect, from, at);
};

/** All that `from` gives, of those workflows and statuses, put in order. */
function inOrder(dialect: Dialect, from: string, at: number): Walk {
  const among = (column: string, position: number): string =>
    `r."${column}" in (select n."is" from ${dialect.jsonRows(dialect.param(position), "n", TEXT_ROWS)} where n."is" is not null)`;
  return {
    from,
    alias: FEW,
    where:
      `r."createdAt" >= ${dialect.fromMs(`b."createdFrom"`)} ` +
      `and ${among("workflowName", at)} and ${among("status", at + 1)}`,
    order: NEWEST_FIRST,
  };
}

/** The rows of a walk in the order of its index. */
interface Walk {
  /** Gives rows named `r`, or as `alias` says. */
  readonly from: string;
  readonly alias?: string;
  readonly where: string;
  readonly order: string;
}

const CHILDREN = "idx_parent_workflow_instance_workflows";

/** Rows that are put in order at once; no table has the name in a plan. */
const FEW = "few";

/** What is said of the rows of a walk, by their name. */
const ofRows = ({ alias = "r" }: Walk, text: string): string =>
  alias === "r" ? text : text.replaceAll(/\br\."/g, `${alias}."`);

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
    `order by l."at" desc, l."id" desc limit ${dialect.param(2)}) as g`;
  const shown = boundedPage(dialect, {
    columns: PAGE_COLUMNS.instance,
    payload: "output",
    texts: ["errorMessage", "errorDetail", "tags", "memo"],
    table: INSTANCE,
    from: `${page} ${dialect.joinEach(INSTANCE, "r", dialect.isKey(`r."id"`, `g."id"`), INSTANCE_IDS)}`,
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
  const shown = `r."id", ${dialect.toMs(`r."createdAt"`)} as "at", case when ${matches(dialect)} then 1 else 0 end as "isMatch"`;
  const where = `${walk.where} and r."createdAt" <= ${at} and (r."createdAt" <> ${at} or r."id" < b."id")`;
  const rows =
    `select ${ofRows(walk, shown)} from ${walk.from} where ${ofRows(walk, where)} ` +
    `order by ${ofRows(walk, walk.order)} limit ${dialect.param(4)}`;
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
    [
      "parentId",
      `(r."parentInstanceId" = b."parentId" and r."parentWorkflowName" = b."parentName")`,
    ],
    ["isStuck", isStuck(dialect)],
  ];
  return conditions.map(([asked, is]) => `(b."${asked}" is null or ${is})`).join(" and ");
}

const COUNT_COLUMNS: readonly JsonColumn[] = BRANCH_COLUMNS.slice(0, 5);

/** Parameters: branches as JSON, each with a status, and rows that each walk looks at. `counted`: how many it looked at, and how many match. */
export function countMatching(dialect: Dialect): string {
  const { from, where, order } = ofStatus(dialect);
  const rows =
    `select case when ${matches(dialect)} then 1 else 0 end as "isMatch" from ${from} where ${where} ` +
    `and r."createdAt" < ${dialect.fromMs(`b."at"`)} order by ${order.replace(`, r."id" desc`, "")} limit ${dialect.param(2)}`;
  return (
    `select b."workflowName", b."status", (select count(*) || ' ' || coalesce(sum(w."isMatch"), 0) from (${rows}) as w) as "counted" ` +
    `from ${dialect.jsonRows(dialect.param(1), "b", BRANCH_COLUMNS)}`
  );
}

/** As `findChildren`, without the parameters of a page: a branch, names, statuses, and the parent. By workflow and status. */
export const countOfParent = (dialect: Dialect): string => countOf(dialect, ofParent(dialect, 2));

function countOf(dialect: Dialect, walk: Walk): string {
  const kind = ofRows(walk, `r."workflowName", r."status"`);
  const where = `${walk.where} and r."createdAt" < ${dialect.fromMs(`b."at"`)} and ${matches(dialect)}`;
  return (
    `select ${kind}, count(*) as "count" from ${dialect.jsonRows(dialect.param(1), "b", BRANCH_COLUMNS)} ` +
    `cross join ${walk.from} where ${ofRows(walk, where)} group by ${kind}`
  );
}

/** Parameters: branches as JSON, each with a status, and the cap. */
export function countByStatus(dialect: Dialect): string {
  const { from, where, order } = ofStatus(dialect);
  return (
    `select b."workflowName", b."status", (select count(*) from (select r."createdAt" from ${from} where ${where} ` +
    `and r."createdAt" < ${dialect.fromMs(`b."at"`)} order by ${order.replace(`, r."id" desc`, "")} limit ${dialect.param(2)}) as c) as "count" ` +
    `from ${dialect.jsonRows(dialect.param(1), "b", COUNT_COLUMNS)}`
  );
}

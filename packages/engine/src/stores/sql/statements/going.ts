/**
 * @module Instances to delete with their families: as many as one call may take, under one of two sets of conditions.
 * Parameters of every statement: instances as JSON, and rules if there are any. Loaded with the first delete or purge.
 */
import type { Dialect, JsonColumn } from "@escapement/db/client";
import { RETAIN_CHUNK } from "../../../ports/retain.ts";
import { isChild, isLive } from "./delete.ts";
import { isDemanded } from "./demand.ts";
import { isInstanceKey } from "./instance-key.ts";
import { CHILDREN } from "./leave-children.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, PROGRESS, STEP, UNIQUE_STEP } from "./tables.ts";

/** Indexes that begin with the instance. */
export const EVENTS_OF_RUN = "idx_history_workflow_event_workflows";
export const PROGRESS_IN_ORDER = "unique_sequence_workflow_progress_workflows";

/** The conditions for a delete. */
export interface Terms {
  /** The beginning of a WITH, with the names that the conditions use. */
  readonly named: (dialect: Dialect) => string;
  /** Condition on a member of a family. */
  readonly mayGo: (dialect: Dialect, alias: string) => string;
  /** Condition: its parent keeps it. */
  readonly isHeld: (dialect: Dialect, alias: string) => string;
  /** Condition: the given instances are known to have no more rows than a call may delete. */
  readonly isWeighed: string;
}

/** Instances that ended long enough ago. Those without children were weighed when they were found. */
export const BY_RULES: Terms = {
  named: (dialect) =>
    `rules as materialized (select u.* from ${dialect.jsonRows(dialect.param(2), "u", RULE_COLUMNS)}), `,
  mayGo: (dialect, alias) =>
    `exists (select 1 from rules as u where u."workflowName" = ${alias}."workflowName" ` +
    `and u."status" = ${alias}."status" and ${alias}."completedAt" < ${dialect.fromMs(`u."before"`)})`,
  isHeld: (dialect, alias) => isOfPresentRun(dialect, alias),
  isWeighed: `(select count(*) from members) = (select count(*) from roots)`,
};

/** Any instance that has ended, unless the run that started it is live. */
export const WHOEVER_ENDED: Terms = {
  named: () => "",
  mayGo: (_dialect, alias) => `not ${isLive(alias)}`,
  isHeld: (dialect, alias) => isOfPresentRun(dialect, alias, ` and ${isLive("p")}`),
  isWeighed: "false",
};

/** The same, if a given instance meets what is demanded. Further parameters: those of `isDemanded`. */
export const ENDED_AS_DEMANDED: Terms = {
  ...WHOEVER_ENDED,
  isHeld: (dialect, alias) =>
    `${WHOEVER_ENDED.isHeld(dialect, alias)} or not (${isDemanded(dialect, alias, 2)})`,
};

/** Condition: the run that started the instance is the parent's current run. @param more a further condition on the parent `p` */
export function isOfPresentRun(dialect: Dialect, alias: string, more = ""): string {
  const key = {
    workflowName: `${alias}."parentWorkflowName"`,
    instanceId: `${alias}."parentInstanceId"`,
  };
  const parent =
    `select 1 from ${INSTANCE} as p where ${isInstanceKey(dialect, { alias: "p", ...key })} ` +
    `and ${filter(`p."runNumber" = ${alias}."parentRunNumber"`)}${more}`;
  return `case when ${alias}."parentInstanceId" is null then false else exists (${parent}) end`;
}

const REF_COLUMNS: readonly JsonColumn[] = ["workflowName", "instanceId"].map(toText);
const RULE_COLUMNS: readonly JsonColumn[] = [
  ...["workflowName", "status"].map(toText),
  { name: "before", type: "bigint" },
];

function toText(name: string): JsonColumn {
  return { name, type: "text" };
}

const MEMBER = ["id", "workflowName", "instanceId", "status", "completedAt"];

const columnsOf = (alias: string): string => MEMBER.map((name) => `${alias}."${name}"`).join(", ");

/** The given instances. */
function roots(dialect: Dialect, { named, isHeld }: Terms): string {
  const isRoot = isInstanceKey(dialect, {
    alias: "i",
    workflowName: `a."workflowName"`,
    instanceId: `a."instanceId"`,
  });
  return (
    `${named(dialect)}roots as materialized (select ${columnsOf("i")}, i."runNumber", ` +
    `case when ${isHeld(dialect, "i")} then 1 else 0 end as "isHeld" ` +
    `from ${dialect.jsonRows(dialect.param(1), "a", REF_COLUMNS)} ${dialect.joinEach(INSTANCE, "i", isRoot)})`
  );
}

/** The instances and all their descendants, up to the limit of a call. Each database has its own place for a limit. A text that begins with `with`. */
export function members(dialect: Dialect, terms: Terms): string {
  const limit = ` limit ${RETAIN_CHUNK.members + 1}`;
  const [within, outside] = dialect.name === "sqlite" ? [limit, ""] : ["", limit];
  return (
    `with recursive ${roots(dialect, terms)}, family as (select o."id" as "rootId", ${columnsOf("o")} from roots as o ` +
    `union select f."rootId", ${columnsOf("c")} from family as f ${dialect.joinEach(INSTANCE, "c", isChild(dialect), CHILDREN)}${within}), ` +
    `members as materialized (select f.* from family as f${outside})`
  );
}

/** The instances that stay: a member of the family has to stay, or a parent holds it. Looks at as many members as a call may. */
const kept = (dialect: Dialect, { mayGo }: Terms): string =>
  `kept as materialized (select m."rootId" from members as m where not ${mayGo(dialect, "m")} ` +
  `union select o."id" from roots as o where o."isHeld" = 1)`;

/** A row that says whether members and rows are within the limits of a call. */
export function weight(dialect: Dialect, { isWeighed }: Terms): string {
  const isLight = (table: string, index: string): string => {
    const isOf = `w."workflowName" = m."workflowName" and w."instanceId" = m."instanceId"`;
    const rows = `select 1 as "one" from members as m ${dialect.joinEach(table, "w", isOf, index)}`;
    return `(select count(*) from (${rows} limit ${RETAIN_CHUNK.rows + 1}) as n) <= ${RETAIN_CHUNK.rows}`;
  };
  return (
    `weight as materialized (select case when (select count(*) from members) > ${RETAIN_CHUNK.members} then 0 ` +
    `when ${isWeighed} then 1 when ${isLight(STEP, UNIQUE_STEP)} and ${isLight(EVENT, EVENTS_OF_RUN)} ` +
    `and ${isLight(PROGRESS, PROGRESS_IN_ORDER)} then 1 else 0 end as "isLight")`
  );
}

/** The families to delete: those of which every member may be deleted. */
export const gone =
  (terms: Terms) =>
  (dialect: Dialect): string =>
    `${members(dialect, terms)}, ${kept(dialect, terms)}, ${weight(dialect, terms)}, ` +
    `gone as materialized (select m."id", m."workflowName", m."instanceId" from members as m ` +
    `where m."rootId" not in (select h."rootId" from kept as h) and (select "isLight" from weight) = 1)`;

/** The instances whose families may be deleted, without the families. */
export const emptied = (dialect: Dialect, terms: Terms): string =>
  `${members(dialect, terms)}, ${kept(dialect, terms)}, emptied as materialized (select o.* from roots as o ` +
  `where o."id" not in (select h."rootId" from kept as h))`;

/**
 * @module Deletes an instance and its family: its children, and theirs. Parameters of every statement: workflow, instance.
 * Ended runs have no tasks. Loaded with the first delete.
 */
import type { Dialect } from "@escapement/db/client";
import { TERMINAL_STATUSES } from "../../../core/model/status.ts";
import { isInstanceKey } from "./instance-key.ts";
import { CHILDREN } from "./leave-children.ts";
import { isInstance } from "./lock.ts";
import { filter } from "./planner-hints.ts";
import { EVENT, INSTANCE, PROGRESS, STEP, TOPIC_WAIT, UNIQUE_STEP } from "./tables.ts";

const ENDED = TERMINAL_STATUSES.map((status) => `'${status}'`).join(", ");

/** Makes a text that begins with `with` and names the instances to delete as `gone`. */
type Gone = (dialect: Dialect) => string;

/** The statements that delete what belongs to the instances of `gone`, and then the instances, in this order. */
export interface DeleteStatements {
  /** Topic waits have the ids of their steps. */
  readonly topicWaits: Gone;
  readonly steps: Gone;
  readonly events: Gone;
  readonly progress: Gone;
  /** Rows: one for each deleted instance. */
  readonly instances: Gone;
}

/** Condition. */
export const isLive = (alias: string): string => filter(`${alias}."status" not in (${ENDED})`);

export const memberColumns = (alias: string): string =>
  `${alias}."id", ${alias}."workflowName", ${alias}."instanceId", ${alias}."status"`;

/**
 * Condition: `c` is a child of `f`. If statistics say that one instance has all the children, SQLite would read all of them for
 * each member of a family instead of looking them up. For a range, it expects few rows.
 */
export const isChild = ({ name }: Dialect): string =>
  `c."parentWorkflowName" = f."workflowName" and ` +
  (name === "sqlite"
    ? `c."parentInstanceId" >= f."instanceId" and c."parentInstanceId" <= f."instanceId"`
    : `c."parentInstanceId" = f."instanceId"`);

/** The instance and all its descendants. */
export const family = (dialect: Dialect): string =>
  `family as materialized (select ${memberColumns("i")} from ${INSTANCE} as i where ${isInstance(dialect, "i")} ` +
  `union select ${memberColumns("c")} from family as f ${dialect.joinEach(INSTANCE, "c", isChild(dialect), CHILDREN)})`;

/** The run that started the instance, if it is live. */
export const liveParent = (dialect: Dialect): string => {
  const key = { workflowName: `i."parentWorkflowName"`, instanceId: `i."parentInstanceId"` };
  const isParent = `${isInstanceKey(dialect, { alias: "p", ...key })} and ${filter(`p."runNumber" = i."parentRunNumber"`)}`;
  return (
    `from ${INSTANCE} as i ${dialect.joinEach(INSTANCE, "p", isParent)} ` +
    `where ${isInstance(dialect, "i")} and ${isLive("p")}`
  );
};

export const lockFamily = (dialect: Dialect): string =>
  `with recursive ${family(dialect)} select k."id" from ${INSTANCE} as k ` +
  `where ${dialect.isKeyAmong(`k."id"`, `select f."id" from family as f`)} order by k."id" ${dialect.forUpdate("k")}`;

/** Rows: the instance itself if it has not ended, or else a live member of its family or its live parent. */
export function selectLive(dialect: Dialect): string {
  const isItself = `l."workflowName" = ${dialect.param(1)} and l."instanceId" = ${dialect.param(2)}`;
  return (
    `with recursive ${family(dialect)}, live as (select ${memberColumns("f")} from family as f where ${isLive("f")} ` +
    `union all select ${memberColumns("p")} ${liveParent(dialect)}) ` +
    `select l."workflowName", l."instanceId", l."status" from live as l ` +
    `order by case when ${isItself} then 0 else 1 end, l."id" limit 1`
  );
}

/** Rows of a table that belong to the instances to delete. */
function rowsOf(
  dialect: Dialect,
  {
    table,
    index,
    condition,
  }: { readonly table: string; readonly index?: string; readonly condition?: string },
): string {
  const isOf = `r."workflowName" = g."workflowName" and r."instanceId" = g."instanceId"`;
  const rows = `select r."id" from gone as g ${dialect.joinEach(table, "r", isOf, index)}`;
  return condition === undefined ? rows : `${rows} where ${filter(condition)}`;
}

export function deletesOf(named: Gone): DeleteStatements {
  const deleteAmong = (dialect: Dialect, table: string, ids: string): string =>
    `${named(dialect)} delete from ${table} where ${dialect.isKeyAmong(`"id"`, ids)}`;
  return {
    topicWaits: (dialect) => {
      const condition = `r."type" = 'waitForTopic'`;
      const steps = rowsOf(dialect, { table: STEP, index: UNIQUE_STEP, condition });
      return deleteAmong(dialect, TOPIC_WAIT, steps);
    },
    steps: (dialect) =>
      deleteAmong(dialect, STEP, rowsOf(dialect, { table: STEP, index: UNIQUE_STEP })),
    events: (dialect) => deleteAmong(dialect, EVENT, rowsOf(dialect, { table: EVENT })),
    progress: (dialect) => deleteAmong(dialect, PROGRESS, rowsOf(dialect, { table: PROGRESS })),
    instances: (dialect) =>
      `${deleteAmong(dialect, INSTANCE, `select g."id" from gone as g`)} returning "id"`,
  };
}

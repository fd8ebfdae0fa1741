/** Locks for the verbs that change an instance from outside: task first, then instance. Parameters: workflow, instance. */
import type { Dialect } from "@escapement/db";
import { isInstanceKey } from "./instance-key.ts";
import { INSTANCE, instanceColumns, TASK } from "./tables.ts";

/** Condition: `alias`, a row of another table, belongs to the instance of parameters 1 and 2. */
export const isOfInstance = (dialect: Dialect, alias: string): string =>
  `${alias}."workflowName" = ${dialect.param(1)} and ${alias}."instanceId" = ${dialect.param(2)}`;

/** Condition: `alias` is the instance of parameters 1 and 2. */
export const isInstance = (dialect: Dialect, alias: string): string =>
  isInstanceKey(dialect, { alias, workflowName: dialect.param(1), instanceId: dialect.param(2) });

/** Waits until no runner is in the middle of a commit for this instance. */
export const lockTask = (dialect: Dialect): string =>
  `select t."id" from ${TASK} as t where ${isOfInstance(dialect, "t")} ${dialect.forUpdate("t")}`;

/** The instance, which nobody else changes until the end of the batch. */
export const lockInstance = (dialect: Dialect): string =>
  `select ${instanceColumns(dialect, "i")} from ${INSTANCE} as i where ${isInstance(dialect, "i")} ` +
  dialect.forUpdate("i");

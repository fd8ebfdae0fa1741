/** Restricts tasks to registered workflows. */
import type { Dialect } from "@escapement/db";

/**
 * Condition on `alias`: its workflow is in the JSON array of `{ name }` in the parameter.
 *
 * `is true` keeps both databases from turning the set into the driving table of the scan: the tasks must be walked in
 * the order of their due index, or the limit would not bound the work.
 */
export const isRegistered = (dialect: Dialect, alias: string, position: number): string =>
  `(${alias}."workflowName" in (select w."name" from ` +
  `${dialect.jsonRows(dialect.param(position), "w", [{ name: "name", type: "text" }])})) is true`;

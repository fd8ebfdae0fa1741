/** Ranges of the task queue, one for each registered workflow. */
import type { Dialect } from "@escapement/db/client";
import { TASK } from "./tables.ts";

/** The first rows of an index range of each workflow's tasks `t`. */
export interface TaskRange {
  readonly status: "pending" | "processing";
  /** The column that orders the range. Besides constants, the condition compares only this column. */
  readonly orderBy: "runAt" | "lockedUntil" | "attempts";
  /** Further condition on `t`. */
  readonly where: string;
  /** The names of the columns to read. Each must have the same type and meaning in JSON. */
  readonly columns: readonly string[];
  /** Expression: the most rows of each workflow. */
  readonly limit: string;
  /** Locks the rows and skips those that others hold. */
  readonly isLocked?: boolean;
}

/** The indexes of the ranges for SQLite; null: it chooses. */
export const TASK_INDEXES: Readonly<Record<TaskRange["orderBy"], string | null>> = {
  runAt: "idx_queue_workflow_task_workflows",
  lockedUntil: "idx_lease_workflow_task_workflows",
  // Few rows have many attempts: SQLite finds the index by itself, and works without it in a database that was not migrated.
  attempts: null,
};

/**
 * SELECT of a range's rows for all workflows of the JSON array of `{ name }` in the parameter at `position`.
 *
 * Each workflow is looked up separately, so that due tasks of workflows that are not registered here cost nothing, and the
 * limit bounds what is read. SQLite has lateral joins only for table-valued functions, so there the rows of each workflow are
 * passed as a JSON array.
 */
export function firstOfEach(dialect: Dialect, position: number, range: TaskRange): string {
  const { columns, status, where, orderBy, limit, isLocked = false } = range;
  const rowsOf = (isOfWorkflow: string, hint: string): string =>
    `select ${columns.map((name) => `t."${name}"`).join(", ")} from ${TASK} as t${hint} ` +
    `where ${isOfWorkflow} and t."status" = '${status}' and ${where} ` +
    `order by t."${orderBy}" limit ${limit}`;
  const names = dialect.param(position);
  if (dialect.name === "postgres") {
    const lock = isLocked ? ` ${dialect.forUpdate("t", { skipLocked: true })}` : "";
    return (
      `select r.* from ${dialect.jsonRows(names, "w", [{ name: "name", type: "text" }])} ` +
      `cross join lateral (${rowsOf(`t."workflowName" = w."name"`, "")}${lock}) as r`
    );
  }
  // Declared as rare, whatever the statistics say about the workflow, or the whole index would be read in order.
  const index = TASK_INDEXES[orderBy];
  const isOfWorkflow = `likelihood(t."workflowName" = w.value->>'name', 0.0001)`;
  return (
    `select ${columns.map((name, place) => `r.value->>${place} as "${name}"`).join(", ")} ` +
    `from json_each(${names}) as w cross join json_each((` +
    `select json_group_array(json_array(${columns.map((name) => `r."${name}"`).join(", ")})) from (` +
    `${rowsOf(isOfWorkflow, index === null ? "" : dialect.byIndex(index))}) as r)) as r`
  );
}

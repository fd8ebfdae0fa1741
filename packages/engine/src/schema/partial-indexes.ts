/**
 * Indexes that Fragno's schema language cannot express. They carry no version: every migration makes those that are
 * missing, so a database that Fragno migrated gets them too.
 */

/** An index over the rows for which `where` holds. Names are physical; the SQL is the same on every database. */
export interface PartialIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly where: string;
}

export const PARTIAL_INDEXES: readonly PartialIndex[] = [
  {
    // The statements after a claim, and the fence of every commit, find the task by its lease.
    name: "idx_lockOwner_workflow_task_workflows",
    table: "workflow_task_workflows",
    columns: ["lockOwner"],
    where: `"lockOwner" is not null`,
  },
  {
    // Open waits of a run; waiting steps are few, completed ones many.
    name: "idx_waiting_wakeAt_workflow_step_workflows",
    table: "workflow_step_workflows",
    columns: ["workflowName", "instanceId", "runNumber", "status", "wakeAt"],
    where: `"status" = 'waiting'`,
  },
];

/** The statement that makes it unless it exists. */
export function toCreateIndex(index: PartialIndex): string {
  const columns = index.columns.map((column) => `"${column}"`).join(", ");
  return `create index if not exists "${index.name}" on "${index.table}" (${columns}) where ${index.where}`;
}

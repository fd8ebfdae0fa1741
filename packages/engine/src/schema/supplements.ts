/**
 * What Fragno's schema language cannot express: partial indexes, an index that gives way to another, and a wide integer.
 * It carries no version: every migration that finds an index missing applies all of it again, so a database that Fragno
 * migrated gets it too.
 */
import type { DatabaseName } from "./fragno-migrations.ts";

/** An index over the rows for which `where` holds. Names are physical; the SQL is the same on every database. */
export interface PartialIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** @default all rows */
  readonly where?: string;
  /** @default false */
  readonly isUnique?: boolean;
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
  {
    // Events that no wait has taken, in the order of their acceptance; those taken are history and only grow.
    name: "idx_undelivered_workflow_event_workflows",
    table: "workflow_event_workflows",
    columns: ["workflowName", "instanceId", "runNumber", "_internalId"],
    where: `"deliveredAt" is null`,
  },
  {
    // A sender's own id is stored once per run.
    name: "unique_eventId_workflow_event_workflows",
    table: "workflow_event_workflows",
    columns: ["workflowName", "instanceId", "runNumber", "eventId"],
    where: `"eventId" is not null`,
    isUnique: true,
  },
  {
    // Lists by status, in an order in which no row moves while a reader goes from page to page.
    name: "idx_status_createdAt_workflow_instance_workflows",
    table: "workflow_instance_workflows",
    columns: ["workflowName", "status", "createdAt"],
  },
];

/** Indexes that the schema makes and that no statement reads any more: every write would pay for them. */
export const RETIRED_INDEXES: readonly string[] = [
  // Gives way to idx_status_createdAt.
  "idx_status_updatedAt_workflow_instance_workflows",
  // Give way to idx_queue and idx_lease: claims look tasks up by workflow.
  "idx_status_runAt_workflow_task_workflows",
  "idx_status_lockedUntil_workflow_task_workflows",
  "idx_status_priority_runAt_workflow_task_workflows",
];

/** Integers of SQLite hold 64 bits; an integer of Postgres ends at 24 days of milliseconds. A repeat changes nothing. */
const WIDE_TIMEOUT = `alter table "workflow_step_workflows" alter column "timeoutMs" type bigint`;

/** Statements that complete what Fragno's migrations make. Each can be repeated. */
export const toSupplements = (database: DatabaseName): readonly string[] => [
  ...(database === "postgres" ? [WIDE_TIMEOUT] : []),
  ...PARTIAL_INDEXES.map(toCreateIndex),
  ...RETIRED_INDEXES.map((name) => `drop index if exists "${name}"`),
];

/** The statement that makes it unless it exists. */
function toCreateIndex(index: PartialIndex): string {
  const columns = index.columns.map((column) => `"${column}"`).join(", ");
  const kind = index.isUnique === true ? "unique index" : "index";
  const where = index.where === undefined ? "" : ` where ${index.where}`;
  return `create ${kind} if not exists "${index.name}" on "${index.table}" (${columns})${where}`;
}

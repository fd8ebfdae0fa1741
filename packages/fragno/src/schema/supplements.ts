/**
 * What Fragno's schema language cannot express: partial indexes, indexes that replace others, tables without a primary key, a wide
 * integer, and ids that SQLite need not remember. It has no version: every migration that finds an index missing, or one too many,
 * applies all of it again, so a database that Fragno migrated gets it too.
 */
import type { DatabaseName } from "./fragno-migrations.ts";

/** An index besides those of the schema, or in place of one. Names are physical; the SQL is the same on every database. */
export interface ExtraIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** @default all rows */
  readonly where?: string;
  /** @default false */
  readonly isUnique?: boolean;
  /** An index with this name but other rows may exist: the schema's, or an earlier version's. @default false */
  readonly replaces?: boolean;
}

/** What a database has besides its schema, and what it no longer has. */
interface Supplements {
  readonly indexes: readonly ExtraIndex[];
  /** Only for lists and pages of history. Left out of the lean set, for databases that bill each row of an index. */
  readonly lists: readonly ExtraIndex[];
  /** Names of indexes that the schema creates and that no statement reads any more, because every write would pay for them. */
  readonly retired: readonly string[];
  /** Tables without a primary key. */
  readonly knownById: readonly string[];
}

// The statements after a claim, and the end of an earlier process's leases, find the task by its lease.
const LEASE_TOKEN: ExtraIndex = {
  name: "idx_lockOwner_workflow_task_workflows",
  table: "workflow_task_workflows",
  columns: ["lockOwner"],
  where: `"lockOwner" is not null`,
};

// Open waits of a run: few steps wait, and many are completed.
const OPEN_WAITS: ExtraIndex = {
  name: "idx_waiting_wakeAt_workflow_step_workflows",
  table: "workflow_step_workflows",
  columns: ["workflowName", "instanceId", "runNumber", "status", "wakeAt"],
  where: `"status" = 'waiting'`,
};

const EVENTS: readonly ExtraIndex[] = [
  {
    // Events that no wait has taken, in the order of their acceptance; taken events are history and only grow.
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
];

// A sender's own id is stored once per topic, for as long as the message is kept.
const MESSAGE_IDS: ExtraIndex = {
  name: "unique_messageId_workflow_message_workflows",
  table: "workflow_message_workflows",
  columns: ["topic", "messageId"],
  where: `"messageId" is not null`,
  isUnique: true,
};

// As in the schema, but a task is in only one of the two: one write less at each create, claim and park.
const DUE_TASKS: readonly ExtraIndex[] = [
  {
    name: "idx_queue_workflow_task_workflows",
    table: "workflow_task_workflows",
    columns: ["workflowName", "status", "priority", "runAt", "instanceId"],
    where: `"status" = 'pending'`,
    replaces: true,
  },
  {
    name: "idx_lease_workflow_task_workflows",
    table: "workflow_task_workflows",
    columns: ["workflowName", "status", "lockedUntil", "instanceId"],
    where: `"status" = 'processing'`,
    replaces: true,
  },
];

// The same on Postgres, where each claim writes each byte of a key: columns that are equal in all rows, and the order of equals,
// are left out. SQLite's statements name the wide ones.
const NARROW_DUE_TASKS: readonly ExtraIndex[] = [
  {
    name: "idx_pending_runAt_workflow_task_workflows",
    table: "workflow_task_workflows",
    columns: ["workflowName", "priority", "runAt"],
    where: `"status" = 'pending'`,
  },
  {
    name: "idx_processing_lockedUntil_workflow_task_workflows",
    table: "workflow_task_workflows",
    columns: ["workflowName", "lockedUntil"],
    where: `"status" = 'processing'`,
  },
];

// Lists by status, in an order in which no row moves while a reader pages through.
const LIST_BY_STATUS: ExtraIndex = {
  name: "idx_status_createdAt_workflow_instance_workflows",
  table: "workflow_instance_workflows",
  columns: ["workflowName", "status", "createdAt"],
};

// Children of a run; few instances have a parent.
const CHILDREN: ExtraIndex = {
  name: "idx_parent_workflow_instance_workflows",
  table: "workflow_instance_workflows",
  columns: ["parentWorkflowName", "parentInstanceId", "parentRunNumber"],
  where: `"parentInstanceId" is not null`,
  replaces: true,
};

// Children of an instance, for all its runs, in the order of lists; a parent may have thousands.
const CHILDREN_LIST: ExtraIndex = {
  name: "idx_children_createdAt_workflow_instance_workflows",
  table: "workflow_instance_workflows",
  columns: ["parentWorkflowName", "parentInstanceId", "createdAt"],
  where: `"parentInstanceId" is not null`,
};

// Tasks that have killed processes (`SUSPECT_ATTEMPTS`): almost none, while there are as many processing tasks as slots.
const SUSPECTS: ExtraIndex = {
  name: "idx_suspect_workflow_task_workflows",
  table: "workflow_task_workflows",
  columns: ["workflowName", "attempts"],
  where: `"status" = 'processing' and "attempts" > 2`,
};

const RETIRED: readonly string[] = [
  // Replaced by idx_status_createdAt.
  "idx_status_updatedAt_workflow_instance_workflows",
  // Replaced by those of `DUE_TASKS`: claims find tasks by workflow.
  "idx_status_runAt_workflow_task_workflows",
  "idx_status_lockedUntil_workflow_task_workflows",
  "idx_status_priority_runAt_workflow_task_workflows",
];

/**
 * Tables whose `_internalId` no statement looks up. Its index would be written with each insert and, because every update of an
 * instance or a task changes an indexed column, with each update. SQLite has no such index: there, the number is the row's
 * position.
 */
const KNOWN_BY_ID: readonly string[] = [
  "workflow_instance_workflows",
  "workflow_step_workflows",
  "workflow_task_workflows",
];

export const SUPPLEMENTS: Readonly<Record<DatabaseName, Supplements>> = {
  postgres: {
    indexes: [
      LEASE_TOKEN,
      OPEN_WAITS,
      ...EVENTS,
      ...NARROW_DUE_TASKS,
      CHILDREN,
      CHILDREN_LIST,
      SUSPECTS,
      MESSAGE_IDS,
      LIST_BY_STATUS,
    ],
    lists: [],
    retired: [...RETIRED, ...DUE_TASKS.map(({ name }) => name)],
    knownById: KNOWN_BY_ID,
  },
  sqlite: {
    indexes: [
      LEASE_TOKEN,
      // Only waits for events are looked up; a sleep is found by its task.
      {
        ...OPEN_WAITS,
        where: `"status" = 'waiting' and "waitEventType" is not null`,
        replaces: true,
      },
      ...EVENTS,
      ...DUE_TASKS,
      CHILDREN,
      CHILDREN_LIST,
      SUSPECTS,
      MESSAGE_IDS,
    ],
    lists: [
      LIST_BY_STATUS,
      {
        // The schema's own index. Without it, a page of history sorts the steps of the run.
        name: "idx_history_workflow_step_workflows",
        table: "workflow_step_workflows",
        columns: ["workflowName", "instanceId", "runNumber", "createdAt"],
      },
    ],
    // idx_undelivered replaces idx_type_deliveredAt.
    retired: [...RETIRED, "idx_type_deliveredAt_workflow_event_workflows"],
    knownById: [],
  },
};

/** SQLite's integers have 64 bits; in milliseconds, a Postgres integer ends at 24 days. A repeat changes nothing. */
const WIDE_TIMEOUT = `alter table "workflow_step_workflows" alter column "timeoutMs" type bigint`;

/** `id` identifies a row for a replica, like a primary key: without either, a published table refuses updates. */
const toKnownById = (table: string): readonly string[] => [
  `alter table "${table}" replica identity using index "${table}_id_key"`,
  `alter table "${table}" drop constraint if exists "${table}_pkey"`,
];

/** Statements that complete the results of Fragno's migrations. Each can be repeated. */
export const toSupplements = (database: DatabaseName): readonly string[] => [
  ...(database === "postgres" ? [WIDE_TIMEOUT] : []),
  ...SUPPLEMENTS[database].knownById.flatMap(toKnownById),
  ...SUPPLEMENTS[database].indexes.flatMap(toStatements),
  ...SUPPLEMENTS[database].retired.map(toDropIndex),
];

/** Statements that create the indexes in `lists`. Each can be repeated. */
export const toListIndexes = (database: DatabaseName): readonly string[] =>
  SUPPLEMENTS[database].lists.flatMap(toStatements);

/**
 * One of Fragno's statements without AUTOINCREMENT, which writes a row of `sqlite_sequence` with every insert. It only guarantees
 * that the number of a deleted last row is not used again; existing rows are numbered in the order of their insertion anyway.
 * Nothing remembers the number of a row that may be deleted: a run's events and steps are read from the last one seen, and are only
 * deleted with the run; tasks, which come and go, are identified by their `id`.
 */
export const withoutAutoincrement = (statement: string): string =>
  statement.replace(/(?<key>"_internalId" integer not null primary key) autoincrement/u, "$<key>");

const toDropIndex = (name: string): string => `drop index if exists "${name}"`;

function toStatements(index: ExtraIndex): readonly string[] {
  const columns = index.columns.map((column) => `"${column}"`).join(", ");
  const kind = index.isUnique === true ? "unique index" : "index";
  const where = index.where === undefined ? "" : ` where ${index.where}`;
  return [
    ...(index.replaces === true ? [toDropIndex(index.name)] : []),
    `create ${kind} if not exists "${index.name}" on "${index.table}" (${columns})${where}`,
  ];
}

/** Columns and indexes that were added after the first version, in that order. APPEND ONLY: see `workflows-schema.ts`. */
import { column, type AnyTable, type SchemaBuilder } from "@fragno-dev/db/schema";
import type { EmptyTable } from "./stream-tables.ts";

/** Details of failures, and marks that tell a repeated commit or command from a new one. */
export const extendInstance = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the error's code, details, stack and cause, only when errored; and of steps on which code and history disagree
    // (`diverged`), whatever the status. Written by commit, cleared by restart.
    .addColumn("errorDetail", column("string").nullable())
    // Name (token of the lease, number) of the commit that last parked, released, paused or ended the run; detects its repeats.
    .addColumn("endedBy", column("string").nullable())
    // Idempotency key of the last restart that had one; written by control.
    .addColumn("controlKey", column("string").nullable());

/** Details of failures, and the bodies that a commit starts. */
export const extendStep = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the last error's code, details, stack and cause. Written by commit.
    .addColumn("errorDetail", column("string").nullable())
    // JSON array of the step keys whose bodies start with the commit that wrote this row, null for none. Written by commit.
    .addColumn("startedKeys", column("string").nullable());

/** The sender's own id, and the size of the event. */
export const extendEvent = (table: EmptyTable): EmptyTable =>
  table
    // Id from the sender, unique within the run; null if none was given. Written by sendEvent.
    .addColumn("eventId", column("string").nullable())
    // UTF-8 bytes of the payload; null for events of earlier versions. Written by sendEvent.
    .addColumn("sizeBytes", column("integer").nullable());

/**
 * How claims find tasks: by workflow, so that workflows that a process does not have cost it nothing. The instance is the last
 * column, because SQLite does not use an index whose entries were all equal when it was analysed, as they are while all instances
 * of a workflow wait for an event.
 */
export const indexTask = (table: EmptyTable): EmptyTable =>
  table
    .createIndex("idx_queue", ["workflowName", "status", "priority", "runAt", "instanceId"])
    .createIndex("idx_lease", ["workflowName", "status", "lockedUntil", "instanceId"]);

/** How much a claim has to read of the run. */
export const extendTask = (table: EmptyTable): EmptyTable =>
  table
    // Size of the run's steps as a claim counts it, in bytes, at most 2^31 - 1; null: unknown, the claim adds it up. Written by the
    // commit that parks or releases, cleared by a claim of a run whose lease ended.
    .addColumn("historyBytes", column("integer").nullable());

/** Distinguishes the leases of one claim that reaches the database twice. */
export const numberClaims = (table: EmptyTable): EmptyTable =>
  table
    // How many claims have taken the task since it was created; null: none, or from earlier versions. Written by claim.
    .addColumn("claimNumber", column("integer").nullable());

/** How a run is asked from outside to end. */
export const askForEnds = (table: EmptyTable): EmptyTable =>
  table
    // cancel | rollback | terminate | deadline; null: the current run was not asked to end. Written by the commands with these
    // names, by the end of a parent, and by the claim or park that finds the deadline passed; cleared by a restart.
    .addColumn("endRequested", column("string").nullable());

/** Instances that were started by a step of another instance. */
export const nameParents = (table: EmptyTable): EmptyTable =>
  table
    // Workflow of the run whose step started the instance and waits for its end; null: none. Written by that run's commit.
    .addColumn("parentWorkflowName", column("string").nullable())
    // Public id of that run's instance; null with it.
    .addColumn("parentInstanceId", column("string").nullable())
    // Number of that run, from 1; null with it.
    .addColumn("parentRunNumber", column("integer").nullable())
    // Key of that step; null with it.
    .addColumn("parentStepKey", column("string").nullable())
    // What happens to the instance when its parent no longer waits for it: abandon, terminate or rollback; null with it.
    .addColumn("onParentEnd", column("string").nullable())
    .createIndex("idx_parent", ["parentWorkflowName", "parentInstanceId", "parentRunNumber"]);

/** The reply to an event. */
export const answerEvents = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the reply, in an object with the reply as `value`; null: none. Written by commit, once.
    .addColumn("reply", column("string").nullable());

/** The idempotency keys of a run's steps, and the origin of a fork. */
export const rewindAndFork = (table: EmptyTable): EmptyTable =>
  table
    // The number of the run in idempotency keys, from 1; null: runNumber. Kept by a restart; raised by one with new keys and by a rewind.
    .addColumn("keyNumber", column("integer").nullable())
    // JSON text of the instance, the run and the step that it was forked from; null: not a fork. Written by fork.
    .addColumn("forkedFrom", column("string").nullable());

/** Details of a run besides its params. */
export const describeRuns = (table: EmptyTable): EmptyTable =>
  table
    // Instant at which the current run is asked to end, unless it was asked before; null: never. Written by create and update; a
    // restart, a retry and a rewind keep it if it is still to come.
    .addColumn("deadlineAt", column("timestamp").nullable())
    // JSON text of a list of texts, each once; null: none. Written by create and update.
    .addColumn("tags", column("string").nullable())
    // JSON text of a value that is only shown; null: none. Written by create and update.
    .addColumn("memo", column("string").nullable());

/** Runs that begin again by themselves. */
export const countRetries = (table: EmptyTable): EmptyTable =>
  table
    // How often in a row the run has begun again after it failed as a whole; null: never. Raised by the commit that begins it;
    // cleared by a restart, a retry and a rewind.
    .addColumn("retryCount", column("integer").nullable());

/** The attempts of a step, for readers; no decision depends on them. All are null in rows of earlier versions. */
const addAttemptColumns = (table: EmptyTable): EmptyTable =>
  table
    // Instant at which the body of the last attempt started; null: no attempt started, or unknown. Written by commit.
    .addColumn("attemptStartedAt", column("timestamp").nullable())
    // The process that ran that attempt, by the name that it gives itself, at most 100 characters; null: unknown. Written by commit.
    .addColumn("runner", column("string").nullable())
    // JSON text of the last 20 failed or lost attempts, oldest first; null: none. Written by commit.
    .addColumn("failedAttempts", column("string").nullable());

/** The trace that an instance belongs to. */
const traceInstances = (table: EmptyTable): EmptyTable =>
  table
    // W3C traceparent of the call that created the instance, 55 characters; null: none was given. Written by create.
    .addColumn("traceContext", column("string").nullable());

/** The trace that an event belongs to. */
const traceEvents = (table: EmptyTable): EmptyTable =>
  table
    // W3C traceparent of the event's sender, 55 characters; null: none was given. Written by sendEvent.
    .addColumn("traceContext", column("string").nullable());

/** Any tables. */
type Builder = SchemaBuilder<Record<string, AnyTable>>;

/** What was added once all tables were there. A new column is declared above, and added at the end of this list. */
export const addLaterColumns = (builder: Builder): Builder =>
  builder
    .alterTable("workflow_step", addAttemptColumns)
    .alterTable("workflow_instance", traceInstances)
    .alterTable("workflow_event", traceEvents);

/** Columns and indexes that came after the first version, in the order in which they came. APPEND ONLY: see `workflows-schema.ts`. */
import { column } from "@fragno-dev/db/schema";
import type { EmptyTable } from "./stream-tables.ts";

/** What failures are told with, and what tells a repeated commit or command from a new one. */
export const extendInstance = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the error's code, details, stack and cause, only when errored, and of what code and history disagree on
    // (`diverged`), whatever the status; written by commit, cleared by restart.
    .addColumn("errorDetail", column("string").nullable())
    // Name (token of the lease, number) of the commit that last parked, released, paused or ended the run; tells its repeats.
    .addColumn("endedBy", column("string").nullable())
    // Idempotency key of the last restart that carried one; written by control.
    .addColumn("controlKey", column("string").nullable());

/** What failures are told with, and which bodies a commit stands for. */
export const extendStep = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the last error's code, details, stack and cause. Written by commit.
    .addColumn("errorDetail", column("string").nullable())
    // JSON array of the step keys whose bodies start with the commit that wrote this row, null for none. Written by commit.
    .addColumn("startedKeys", column("string").nullable());

/** A sender's own id, and what the event weighs. */
export const extendEvent = (table: EmptyTable): EmptyTable =>
  table
    // Id that the sender gave, unique within the run; null when none was given. Written by sendEvent.
    .addColumn("eventId", column("string").nullable())
    // UTF-8 bytes of the payload; null for events of earlier versions. Written by sendEvent.
    .addColumn("sizeBytes", column("integer").nullable());

/**
 * How claims look tasks up: by workflow, so that those of workflows that a process does not have cost it nothing. The
 * instance comes last because SQLite does not use an index whose entries were all alike when it was analysed, as they are while
 * all instances of one workflow sleep for an event.
 */
export const indexTask = (table: EmptyTable): EmptyTable =>
  table
    .createIndex("idx_queue", ["workflowName", "status", "priority", "runAt", "instanceId"])
    .createIndex("idx_lease", ["workflowName", "status", "lockedUntil", "instanceId"]);

/** What a claim is to read of the run. */
export const extendTask = (table: EmptyTable): EmptyTable =>
  table
    // What the run's steps weigh as a claim counts it, in bytes, at most 2^31 - 1; null: not known, the claim adds it up.
    // Written by the commit that parks or releases, cleared by a claim of a run whose lease ended.
    .addColumn("historyBytes", column("integer").nullable());

/** What tells the leases of one claim apart that reaches the database twice. */
export const numberClaims = (table: EmptyTable): EmptyTable =>
  table
    // How many claims have taken the task since it was made; null: none, or of earlier versions. Written by claim.
    .addColumn("claimNumber", column("integer").nullable());

/** How a run is asked from outside to end. */
export const askForEnds = (table: EmptyTable): EmptyTable =>
  table
    // cancel | rollback | terminate | deadline; null: nothing was asked of the present run. Written by the commands of these names,
    // by the end of a parent, and by the claim or the park that finds the deadline passed; cleared by a restart.
    .addColumn("endRequested", column("string").nullable());

/** Instances that a step of another one has started. */
export const nameParents = (table: EmptyTable): EmptyTable =>
  table
    // Workflow of the run whose step started the instance and waits for its end; null: none did. Written by that run's commit.
    .addColumn("parentWorkflowName", column("string").nullable())
    // Public id of that run's instance; null with it.
    .addColumn("parentInstanceId", column("string").nullable())
    // Number of that run, from 1; null with it.
    .addColumn("parentRunNumber", column("integer").nullable())
    // Key of that step; null with it.
    .addColumn("parentStepKey", column("string").nullable())
    // What becomes of the instance when its parent waits for it no more: abandon, terminate or rollback; null with it.
    .addColumn("onParentEnd", column("string").nullable())
    .createIndex("idx_parent", ["parentWorkflowName", "parentInstanceId", "parentRunNumber"]);

/** What an event is answered with. */
export const answerEvents = (table: EmptyTable): EmptyTable =>
  table
    // JSON text of the reply, in an object that has it as `value`; null: there is none. Written by commit, once.
    .addColumn("reply", column("string").nullable());

/** Which idempotency keys a run's steps have, and what it began with. */
export const rewindAndFork = (table: EmptyTable): EmptyTable =>
  table
    // What stands for the run in idempotency keys, from 1; null: runNumber. Kept by a restart; raised by one with new keys and by a rewind.
    .addColumn("keyNumber", column("integer").nullable())
    // JSON text of the instance, the run and the step that it was forked from; null: it was created. Written by fork.
    .addColumn("forkedFrom", column("string").nullable());

/** What is said of a run beside its params. */
export const describeRuns = (table: EmptyTable): EmptyTable =>
  table
    // Instant at which the present run is asked to end, unless it was asked before; null: never. Written by create and update;
    // a restart, a retry and a rewind keep the one that is still to come.
    .addColumn("deadlineAt", column("timestamp").nullable())
    // JSON text of a list of texts, each once; null: none. Written by create and update.
    .addColumn("tags", column("string").nullable())
    // JSON text of a value that is shown and looked at by nothing; null: none. Written by create and update.
    .addColumn("memo", column("string").nullable());

/** Runs that begin again by themselves. */
export const countRetries = (table: EmptyTable): EmptyTable =>
  table
    // How often in a row a run that failed as a whole has begun again; null: it has not. Raised by the commit that begins it; cleared
    // by a restart, a retry and a rewind.
    .addColumn("retryCount", column("integer").nullable());

/** The attempts of a step, for who looks at it: no decision reads them. All null in rows of earlier versions. */
export const tellAttempts = (table: EmptyTable): EmptyTable =>
  table
    // Instant at which the body of the last attempt started; null: none did, or it is not known. Written by commit.
    .addColumn("attemptStartedAt", column("timestamp").nullable())
    // The process that ran that attempt, as it calls itself, at most 100 characters; null: not known. Written by commit.
    .addColumn("runner", column("string").nullable())
    // JSON text of the attempts so far that failed or were lost, oldest first, the last 20 of them; null: none. Written by commit.
    .addColumn("failedAttempts", column("string").nullable());

/** What a created instance belongs to. */
export const traceInstances = (table: EmptyTable): EmptyTable =>
  table
    // W3C traceparent of what created the instance, 55 characters; null: none was given. Written by create.
    .addColumn("traceContext", column("string").nullable());

/** What a sent event belongs to. */
export const traceEvents = (table: EmptyTable): EmptyTable =>
  table
    // W3C traceparent of what sent the event, 55 characters; null: none was given. Written by sendEvent.
    .addColumn("traceContext", column("string").nullable());

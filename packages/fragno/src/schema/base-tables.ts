/** The four tables that every version has, as the first one declared them. APPEND ONLY: see `workflows-schema.ts`. */
import { column, idColumn } from "@fragno-dev/db/schema";
import type { EmptyTable } from "./stream-tables.ts";

/** One row per instance of a workflow; kept for ever unless retention or a delete removes it. */
export const declareInstance = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, made by the creator; tie-break of lists.
    .addColumn("id", idColumn())
    // Public id, 1–100 of [A-Za-z0-9_-], unique per workflow; given or made by the creator, never changed.
    .addColumn("instanceId", column("string"))
    // Name of the workflow, 1–64 characters; written by create.
    .addColumn("workflowName", column("string"))
    // One of INSTANCE_STATUSES; written by create, claim, commit and control.
    .addColumn("status", column("string"))
    // Instant of creation; kept across runs. Written by create.
    .addColumn("createdAt", column("timestamp"))
    // Instant of the last change of this row. Written with every change.
    .addColumn("updatedAt", column("timestamp"))
    // Instant of the current run's first claim; before it null, or, after updatedAt, when a run is due that is to start
    // later. Written by create and claim, cleared by restart.
    .addColumn("startedAt", column("timestamp").nullable())
    // Instant at which the current run became terminal, null before it; written by commit and terminate, cleared by restart.
    .addColumn("completedAt", column("timestamp").nullable())
    // JSON text of the validated params, null when none were given; written by create, kept across runs.
    .addColumn("params", column("string").nullable())
    // JSON text of the return value, only when complete and not undefined; written by commit, cleared by restart.
    .addColumn("output", column("string").nullable())
    // Name of the error that ended the run, only when errored; written by commit, cleared by restart.
    .addColumn("errorName", column("string").nullable())
    // Message of the error that ended the run, only when errored; written by commit, cleared by restart.
    .addColumn("errorMessage", column("string").nullable())
    // A pause was asked for while a runner held the lease; set by control, cleared when carried out.
    .addColumn("pauseRequested", column("bool"))
    // Reserved, and null: how long an instance stays is said in code (`retention`) and counted from completedAt.
    .addColumn("retentionUntil", column("timestamp").nullable())
    // Current run, from 1, raised by restart.
    .addColumn("runNumber", column("integer"))
    .createIndex("unique_instance", ["workflowName", "instanceId"], { unique: true })
    .createIndex("idx_status_updatedAt", ["workflowName", "status", "updatedAt"])
    .createIndex("idx_createdAt", ["workflowName", "createdAt"]);

/** One row per step key and run: do, sleep and waitForEvent alike. Kept for ever; runs never share rows. */
export const declareStep = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, made by the runner; tie-break of history.
    .addColumn("id", idColumn())
    // Workflow of the instance; written with the row.
    .addColumn("workflowName", column("string"))
    // Public id of the instance; written with the row.
    .addColumn("instanceId", column("string"))
    // Run that the step belongs to, from 1; written with the row.
    .addColumn("runNumber", column("integer"))
    // Deterministic identity within the run: the path whose root segment is the step name; written with the row.
    .addColumn("stepKey", column("string"))
    // Name as the author gave it, 1–256 characters; written with the row.
    .addColumn("name", column("string"))
    // One of STEP_TYPES; written with the row.
    .addColumn("type", column("string"))
    // One of pending, running, waiting, completed, errored; the last two never change. Written by commit.
    .addColumn("status", column("string"))
    // Attempts counted so far, lost ones included, 0–maxAttempts; counted before the body runs. Written by commit.
    .addColumn("attempts", column("integer"))
    // Attempts that ended with their runner instead of an outcome, 0–attempts. Written by the commit after a takeover.
    .addColumn("lostAttempts", column("integer"))
    // retries.limit + 1, from 1; 2^31 - 1 means no limit. Written by commit.
    .addColumn("maxAttempts", column("integer"))
    // Limit of one attempt in milliseconds, > 0; null for sleeps and waits. Written by commit. A bigint on Postgres
    // (see supplements.ts), since a month does not fit an integer.
    .addColumn("timeoutMs", column("integer").nullable())
    // Instant of the next attempt, only while waiting for one. Written by commit.
    .addColumn("nextRetryAt", column("timestamp").nullable())
    // End of a sleep or deadline of a wait; null for do steps and waits without deadline. Written by commit.
    .addColumn("wakeAt", column("timestamp").nullable())
    // Event types that a wait asks for, 1–100 characters each, between commas; null for other types of step. Written by commit.
    .addColumn("waitEventType", column("string").nullable())
    // JSON text of the result, only when completed and not undefined. Written by commit.
    .addColumn("result", column("string").nullable())
    // Name of the last attempt's error, of the error that ended the step, or HistoryDiverged of an open wait whose event type
    // has changed. Written by commit.
    .addColumn("errorName", column("string").nullable())
    // Message of the last attempt's error, or of the error that ended the step. Written by commit.
    .addColumn("errorMessage", column("string").nullable())
    // 1-based order in which the steps of the run settled, null while open; replay settles in it. Written by commit.
    .addColumn("settledOrder", column("integer").nullable())
    // Instant of the first commit that carried the step; sorts history.
    .addColumn("createdAt", column("timestamp"))
    // Instant of the last commit that carried the step.
    .addColumn("updatedAt", column("timestamp"))
    .createIndex("unique_step", ["workflowName", "instanceId", "runNumber", "stepKey"], {
      unique: true,
    })
    .createIndex("idx_history", ["workflowName", "instanceId", "runNumber", "createdAt"]);

/** One row per event sent to a run, buffered until a wait takes it. Kept for ever. */
export const declareEvent = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, made by the sender; tie-break of history.
    .addColumn("id", idColumn())
    // Workflow of the instance; written by sendEvent.
    .addColumn("workflowName", column("string"))
    // Public id of the instance; written by sendEvent.
    .addColumn("instanceId", column("string"))
    // Run that was current when the event was sent, from 1; written by sendEvent.
    .addColumn("runNumber", column("integer"))
    // Event type, 1–100 of [A-Za-z0-9_-], not starting with -; written by sendEvent.
    .addColumn("type", column("string"))
    // JSON text of the payload, null when none was given; written by sendEvent.
    .addColumn("payload", column("string").nullable())
    // Instant of acceptance; written by sendEvent.
    .addColumn("createdAt", column("timestamp"))
    // Instant at which a wait took it, null before; written by commit.
    .addColumn("deliveredAt", column("timestamp").nullable())
    // Step key of the wait that took it, null before; written by commit together with deliveredAt.
    .addColumn("consumedByStepKey", column("string").nullable())
    .createIndex("idx_type_deliveredAt", [
      "workflowName",
      "instanceId",
      "runNumber",
      "type",
      "deliveredAt",
    ])
    .createIndex("idx_history", ["workflowName", "instanceId", "runNumber", "createdAt"]);

/** The durable queue, not history: at most one row per run, deleted when the run parks for good or ends. */
export const declareTask = (table: EmptyTable): EmptyTable =>
  table
    // Row id, 1–30 characters, made by whoever enqueues.
    .addColumn("id", idColumn())
    // Workflow of the instance; written with the row.
    .addColumn("workflowName", column("string"))
    // Public id of the instance; written with the row.
    .addColumn("instanceId", column("string"))
    // Run to look at, from 1; written with the row.
    .addColumn("runNumber", column("integer"))
    // Why: run (starts), resume, retry, wake (go on); gc is reserved. Written by create, control, sendEvent, commit.
    .addColumn("kind", column("string"))
    // Claim order: 0 resuming, 1 starting; a function of kind, written together with it.
    .addColumn("priority", column("integer"))
    // Instant from which the task is due. Written by create, control, sendEvent, commit.
    .addColumn("runAt", column("timestamp"))
    // pending or processing; completed and failed are reserved, since a finished task's row is deleted.
    .addColumn("status", column("string"))
    // Claims in a row without a commit, the present one included, from 0; set or raised by claim, cleared by the first commit.
    .addColumn("attempts", column("integer"))
    // Claims in a row without a commit after which the run is given up; 2^31 - 1 means never. Written with the row.
    .addColumn("maxAttempts", column("integer"))
    // Why the last claim ended without a commit, when known; for operators only.
    .addColumn("lastError", column("string").nullable())
    // End of the lease while processing, null otherwise; written by claim and commit.
    .addColumn("lockedUntil", column("timestamp").nullable())
    // Token of the claim that holds the lease while processing, null otherwise; written by claim, cleared by commit.
    .addColumn("lockOwner", column("string").nullable())
    // Instant at which the row was made.
    .addColumn("createdAt", column("timestamp"))
    // Instant of the last change of this row.
    .addColumn("updatedAt", column("timestamp"))
    .createIndex("idx_status_runAt", ["status", "runAt"])
    .createIndex("idx_status_lockedUntil", ["status", "lockedUntil"])
    .createIndex("unique_run", ["workflowName", "instanceId", "runNumber"], { unique: true })
    .createIndex("idx_status_priority_runAt", ["status", "priority", "runAt"]);

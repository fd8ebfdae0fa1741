/**
 * The data model, declared once in Fragno's schema language. SQL for every database is generated from it
 * (`npx tsx scripts/generate-schema.ts`). At run time only the Fragno fragment imports this file.
 *
 * APPEND ONLY. Fragno's schema version is the number of builder calls, and databases remember it: a released call is
 * never edited or moved; a later change is a new `.alterTable(…)` at the end. The generator refuses anything else.
 *
 * Fragno adds two columns to every table: `_internalId` (primary key that rises with each insert, see
 * `withoutAutoincrement`; in `workflow_event` it is the event's sequence) and `_version` (≥ 0, default 0; raised by every update, Fragno's and the SQL store's, so that each
 * sees the other's).
 *
 * Rules for columns: instants are `timestamp` holding UTC database time (integer milliseconds on SQLite) and never get
 * a database default, whose zone and format differ per database; JSON is `string` that the engine encodes itself, so
 * that what was written is what is read; no `bigint`, which Fragno stores as a blob on SQLite: what may pass 31 bits is
 * `decimal`, which all databases keep to 53 bits at least.
 *
 * @source founding spec 000 §8
 */
import { column, idColumn, schema, type AnySchema } from "@fragno-dev/db/schema";
import { requireFragnoSchema } from "../adapter/library-version.ts";
import {
  declareMessage,
  declareProgress,
  declareTopic,
  declareTopicWait,
  type EmptyTable,
} from "./stream-tables.ts";

// Before anything is declared, so that another version says what it is instead of failing below.
requireFragnoSchema(schema);

/** Fragno namespace: physical tables are `<table>_workflows`, and the version is filed under it. */
export const NAMESPACE = "workflows";

/** One row per instance of a workflow; kept for ever unless retention or a delete removes it. */
const declareInstance = (table: EmptyTable) =>
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
const declareStep = (table: EmptyTable) =>
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
const declareEvent = (table: EmptyTable) =>
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
const declareTask = (table: EmptyTable) =>
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

/** What failures are told with, and what tells a repeated commit or command from a new one. */
const extendInstance = (table: EmptyTable) =>
  table
    // JSON text of the error's code, details, stack and cause, only when errored, and of what code and history disagree on
    // (`diverged`), whatever the status; written by commit, cleared by restart.
    .addColumn("errorDetail", column("string").nullable())
    // Name (token of the lease, number) of the commit that last parked, released, paused or ended the run; tells its repeats.
    .addColumn("endedBy", column("string").nullable())
    // Idempotency key of the last restart that carried one; written by control.
    .addColumn("controlKey", column("string").nullable());

/** What failures are told with, and which bodies a commit stands for. */
const extendStep = (table: EmptyTable) =>
  table
    // JSON text of the last error's code, details, stack and cause. Written by commit.
    .addColumn("errorDetail", column("string").nullable())
    // JSON array of the step keys whose bodies start with the commit that wrote this row, null for none. Written by commit.
    .addColumn("startedKeys", column("string").nullable());

/** A sender's own id, and what the event weighs. */
const extendEvent = (table: EmptyTable) =>
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
const indexTask = (table: EmptyTable) =>
  table
    .createIndex("idx_queue", ["workflowName", "status", "priority", "runAt", "instanceId"])
    .createIndex("idx_lease", ["workflowName", "status", "lockedUntil", "instanceId"]);

/** What a claim is to read of the run. */
const extendTask = (table: EmptyTable) =>
  table
    // What the run's steps weigh as a claim counts it, in bytes, at most 2^31 - 1; null: not known, the claim adds it up.
    // Written by the commit that parks or releases, cleared by a claim of a run whose lease ended.
    .addColumn("historyBytes", column("integer").nullable());

/** What tells the leases of one claim apart that reaches the database twice. */
const numberClaims = (table: EmptyTable) =>
  table
    // How many claims have taken the task since it was made; null: none, or of earlier versions. Written by claim.
    .addColumn("claimNumber", column("integer").nullable());

/** How a run is asked from outside to end. */
const askForEnds = (table: EmptyTable) =>
  table
    // cancel | rollback | terminate | deadline; null: nothing was asked of the present run. Written by the commands of these names,
    // by the end of a parent, and by the claim or the park that finds the deadline passed; cleared by a restart.
    .addColumn("endRequested", column("string").nullable());

/** Instances that a step of another one has started. */
const nameParents = (table: EmptyTable) =>
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
const answerEvents = (table: EmptyTable) =>
  table
    // JSON text of the reply, in an object that has it as `value`; null: there is none. Written by commit, once.
    .addColumn("reply", column("string").nullable());

/** Which idempotency keys a run's steps have, and what it began with. */
const rewindAndFork = (table: EmptyTable) =>
  table
    // What stands for the run in idempotency keys, from 1; null: runNumber. Kept by a restart; raised by one with new keys and by a rewind.
    .addColumn("keyNumber", column("integer").nullable())
    // JSON text of the instance, the run and the step that it was forked from; null: it was created. Written by fork.
    .addColumn("forkedFrom", column("string").nullable());

/** What is said of a run beside its params. */
const describeRuns = (table: EmptyTable) =>
  table
    // Instant at which the present run is asked to end, unless it was asked before; null: never. Written by create and update;
    // a restart, a retry and a rewind keep the one that is still to come.
    .addColumn("deadlineAt", column("timestamp").nullable())
    // JSON text of a list of texts, each once; null: none. Written by create and update.
    .addColumn("tags", column("string").nullable())
    // JSON text of a value that is shown and looked at by nothing; null: none. Written by create and update.
    .addColumn("memo", column("string").nullable());

/** Runs that begin again by themselves. */
const countRetries = (table: EmptyTable) =>
  table
    // How often in a row a run that failed as a whole has begun again; null: it has not. Raised by the commit that begins it; cleared
    // by a restart, a retry and a rewind.
    .addColumn("retryCount", column("integer").nullable());

/** The attempts of a step, for who looks at it: no decision reads them. All null in rows of earlier versions. */
const tellAttempts = (table: EmptyTable) =>
  table
    // Instant at which the body of the last attempt started; null: none did, or it is not known. Written by commit.
    .addColumn("attemptStartedAt", column("timestamp").nullable())
    // The process that ran that attempt, as it calls itself, at most 100 characters; null: not known. Written by commit.
    .addColumn("runner", column("string").nullable())
    // JSON text of the attempts so far that failed or were lost, oldest first, the last 20 of them; null: none. Written by commit.
    .addColumn("failedAttempts", column("string").nullable());

/** What a created instance belongs to. */
const traceInstances = (table: EmptyTable) =>
  table
    // W3C traceparent of what created the instance, 55 characters; null: none was given. Written by create.
    .addColumn("traceContext", column("string").nullable());

/** What a sent event belongs to. */
const traceEvents = (table: EmptyTable) =>
  table
    // W3C traceparent of what sent the event, 55 characters; null: none was given. Written by sendEvent.
    .addColumn("traceContext", column("string").nullable());

/** The tables. Column order is the order in the database. */
export const workflowsSchema: AnySchema = schema((builder) =>
  builder
    .addTable("workflow_instance", declareInstance)
    .addTable("workflow_step", declareStep)
    .addTable("workflow_event", declareEvent)
    .addTable("workflow_task", declareTask)
    .alterTable("workflow_instance", extendInstance)
    .alterTable("workflow_step", extendStep)
    .alterTable("workflow_event", extendEvent)
    .alterTable("workflow_task", indexTask)
    .alterTable("workflow_task", extendTask)
    .alterTable("workflow_task", numberClaims)
    .alterTable("workflow_instance", askForEnds)
    .alterTable("workflow_instance", nameParents)
    .alterTable("workflow_event", answerEvents)
    .alterTable("workflow_instance", rewindAndFork)
    .alterTable("workflow_instance", describeRuns)
    .addTable("workflow_topic", declareTopic)
    .addTable("workflow_message", declareMessage)
    .addTable("workflow_topic_wait", declareTopicWait)
    .alterTable("workflow_instance", countRetries)
    .addTable("workflow_progress", declareProgress)
    .alterTable("workflow_step", tellAttempts)
    .alterTable("workflow_instance", traceInstances)
    .alterTable("workflow_event", traceEvents),
);

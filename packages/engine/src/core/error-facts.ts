/** The facts of each error code for people: source of the pages under `docs/errors/`. Not loaded at run time. */
import type { ErrorCode } from "./errors.ts";
import { MOVE_ERROR_FACTS } from "./move/error-facts.ts";

/** Who sees a code, when it happens and what to do. */
export interface ErrorFacts {
  readonly family: "request" | "author" | "determinism" | "store" | "platform" | "invariant";
  /** One sentence for the error's page: when it happens. */
  readonly when: string;
  /** One sentence for the error's page: what to do. */
  readonly fix: string;
}

const request = (when: string, fix: string): ErrorFacts => ({ family: "request", when, fix });
const author = (when: string, fix: string): ErrorFacts => ({ family: "author", when, fix });
const determinism = (when: string, fix: string): ErrorFacts => ({
  family: "determinism",
  when,
  fix,
});

/** What each code means, to whom, and what to do: the source of the error pages. */
export const ERROR_FACTS: Readonly<Record<ErrorCode, ErrorFacts>> = {
  ...MOVE_ERROR_FACTS,
  WORKFLOW_NOT_FOUND: request(
    "No workflow of that name is registered.",
    "Check the name; GET /workflows lists them.",
  ),
  INSTANCE_NOT_FOUND: request(
    "The workflow has no instance of that id.",
    "Create it first; ids are per workflow.",
  ),
  ROUTE_NOT_FOUND: request("No route has that path.", "See the HTTP reference for the paths."),
  METHOD_NOT_ALLOWED: request(
    "The path exists, but not with that method.",
    "Use the method in the Allow header.",
  ),
  INVALID_WORKFLOW_NAME: request(
    "A workflow name is empty, too long or has an unpaired surrogate or NUL.",
    "Use 1 to 64 characters.",
  ),
  INVALID_INSTANCE_ID: request(
    "An instance id is too long or has a character outside letters, digits, - and _.",
    "Use 1 to 100 of those characters, not starting with -.",
  ),
  INVALID_EVENT_TYPE: request(
    "An event type is too long or has a character outside letters, digits, - and _.",
    "Use 1 to 100 of those characters, not starting with -.",
  ),
  EVENT_UNDECLARED: request(
    "The workflow declares its event types, and an event is sent, or waited for, whose type is not among them.",
    "Use a declared type, or declare this one in the workflow's events; details.nearest is the declared type most like it.",
  ),
  INVALID_EVENT_PAYLOAD: request(
    "An event's payload does not fit the schema that the workflow declares for its type.",
    "Send what the schema asks for; details.issues says what is wrong.",
  ),
  INVALID_IDEMPOTENCY_KEY: request(
    "An idempotency key or event id is empty, too long, or has a character that is not printable ASCII.",
    "Use 1 to 255 printable ASCII characters, for instance a UUID.",
  ),
  INVALID_PARAMS: request(
    "Params do not fit the workflow's schema.",
    "Send what the schema asks for; details.issues says what is wrong.",
  ),
  INVALID_REQUEST: request(
    "The body is not JSON, or a field or query parameter has the wrong shape.",
    "details.issues names each field and what was expected.",
  ),
  UNKNOWN_OPTION: request(
    "An object of options has a name that nothing reads, most likely a misspelt one.",
    "Use the name in details.nearest, or leave the option out.",
  ),
  INVALID_CURSOR: request(
    "A page cursor was not made by this API, or for another list.",
    "Pass the cursor of the previous answer unchanged, or none.",
  ),
  INVALID_DURATION: request(
    "A duration cannot be read, is missing, is negative, or is outside its limit.",
    'Use milliseconds or text such as "10 seconds", "1 hour", "7 days".',
  ),
  INVALID_STEP_NAME: request(
    "A step name is empty, too long, or has an unpaired surrogate or NUL.",
    "Use 1 to 256 characters.",
  ),
  INVALID_RETRY_POLICY: request(
    "A retry policy has a limit below 0, an unknown backoff or a shouldRetry that is no function; or its shouldRetry or delay threw, or gave no answer, when it was asked about an attempt that failed.",
    "limit ≥ 0 or Infinity; backoff constant, linear or exponential; shouldRetry returns true or false and delay a duration, neither a promise. details.option is the function, details.fault what is wrong, cause what the step's body threw.",
  ),
  INVALID_SCOPE: author(
    "A step with branches was given something else than it takes: no function, no branch, two branches of one name.",
    "Give it what the message asks for; details.stepKey says which one it is.",
  ),
  INVALID_VERSION: author(
    "step.version was given something else than an integer from 1 on.",
    "Give it 2 for the first change of the code there, and one more for each later one.",
  ),
  INVALID_UNDO: author(
    "A step's undo is neither a function nor an object whose run is one, or has options that retries do not take.",
    "Give it (result, context) => …, or { run, retries, timeout }.",
  ),
  NOT_SERIALIZABLE: request(
    "A value has no stored form: a function, a symbol, a cycle, a promise, an instance of a class without toJSON.",
    "Pass plain data, Date, Map, Set, BigInt, URL, Error or bytes; details.path says where.",
  ),
  PAYLOAD_TOO_LARGE: request(
    "A value or request body is larger than its limit.",
    "Store it elsewhere and pass a reference; limits are configurable.",
  ),
  BATCH_TOO_LARGE: request(
    "More instances than createBatch takes at once.",
    "Send at most 100 per call.",
  ),
  INSTANCE_ID_ALREADY_EXISTS: request(
    "An instance with that id exists.",
    'Restart it, or create with onExisting: "return".',
  ),
  INSTANCE_TERMINAL: request(
    "The instance is complete, errored or terminated.",
    "Restart it to run it again.",
  ),
  INSTANCE_TERMINATED: request(
    "instance.result() waited for an instance that was terminated, so that there is no result.",
    "Restart the instance, or treat it as given up.",
  ),
  RESULT_TIMEOUT: request(
    "instance.result() waited for as long as its timeout, and the instance has not ended.",
    "Call it again, or give it a longer timeout; details.status says what the instance does.",
  ),
  IDEMPOTENCY_KEY_CONFLICT: request(
    "An instance was created with that idempotency key and other params.",
    "Use a new key for a new request; repeat a request unchanged.",
  ),
  EVENT_ID_CONFLICT: request(
    "The run has an event of that id with another type or payload.",
    "Use a new id for a new event; repeat an event unchanged.",
  ),
  EVENT_NOT_FOUND: request(
    "A reply is asked for to an event whose id the run does not have.",
    "Send the event first; ids are per run, and an event that a loop's iteration took is kept for an hour after that is removed.",
  ),
  EVENT_NOT_ANSWERED: request(
    "The run that the event was sent to has ended, or was restarted, without a reply to it.",
    "See the instance's status in details; send the event to the new run.",
  ),
  REPLY_TIMEOUT: request(
    "instance.ask() waited for as long as its timeout, and the event has no reply yet.",
    "Ask again with details.eventId as the event's id: it is the same event. Or give it a longer timeout.",
  ),
  INVALID_TOPIC: request(
    "A topic is declared twice, or its name is too long or has a character outside letters, digits, - and _.",
    "Use 1 to 100 of those characters, not starting with -, and one declaration for each name.",
  ),
  TOPIC_NOT_FOUND: request(
    "A message is emitted to a topic, or waited for, that the engine was not given.",
    "Give it to the engine: createEngine({ topics: [topic] }).",
  ),
  TOPIC_LIMIT: request(
    "The topic holds twice as many messages as it keeps, since runs that wait have yet to be handed theirs.",
    "Emit again later; check that ticks run: they hand on what a process that died has left.",
  ),
  EVENT_LIMIT: request(
    "The instance holds as many events, or bytes of events, as it may before a wait takes some.",
    "Send again later; check that the workflow waits for events of this type.",
  ),
  INSTANCE_NOT_ERRORED: request(
    "The instance is to be retried and has not failed, since it goes on or ended otherwise; or it was rolled back, so that its steps are undone.",
    "Leave it alone while it goes on; restart it where it is complete, terminated or rolled back.",
  ),
  INSTANCE_NOT_ENDED: request(
    "The instance is to be deleted, and it goes on; or one of its children does, or the run that started it.",
    "Wait for its end, or terminate it; details.liveInstanceId is the one that goes on, and details.status what it does.",
  ),
  STATUS_MISMATCH: request(
    "The instance is in none of the statuses that the command was meant for.",
    "Read the instance again and decide anew; details.status is what it is.",
  ),
  STEP_NOT_FOUND: request(
    "The instance is to be rewound to a step, or forked at one, that its present run does not have.",
    "Take the stepKey of a step from the instance's history.",
  ),
  STEP_PASSED: request(
    "The instance is to be rewound to a step, or forked at one, that lies behind the position which a loop has written down: the rows of its earlier iterations may be gone.",
    "Name a step before the loop was called, or one since its position; or restart the instance.",
  ),
  RUN_UNDONE: request(
    "The instance is to be rewound or forked, and what its run has done is undone, or is to be.",
    "Restart it, which begins a new run.",
  ),
  RUN_NUMBER_MISMATCH: request(
    "The instance is at another run than the command was meant for: it was restarted meanwhile.",
    "Read the instance again and decide anew.",
  ),
  UNAUTHORIZED: request(
    "The host's authorizeRequest refused the request.",
    "Send the credentials that the host asks for.",
  ),
  FORBIDDEN: request(
    "The host's policy does not allow this operation.",
    "Ask the host's operator.",
  ),
  CROSS_SITE_REQUEST: request(
    "A page of another origin tried to change something through a visitor's browser.",
    "Serve the page from the API's own origin, or name its origin in `http.trustedOrigins`.",
  ),
  TICK_UNAUTHORIZED: request(
    "The tick's bearer secret or signature is missing, wrong, stale or for another audience.",
    "Sign with the current key; check clocks and audience.",
  ),
  TICK_DISABLED: request(
    "No tick secret is configured, so the tick route is closed.",
    "Configure a bearer secret or signing keys.",
  ),
  CALLBACK_DISABLED: request(
    "A workflow called step.callback, or somebody brought a callback's token, and the engine has no option callbacks.",
    "Give createEngine callbacks: { signingKeys, url } in every process that runs workflows or serves the HTTP API.",
  ),
  BULK_DISABLED: request(
    "A bulk job was asked for, and the engine has no option bulk.",
    "Give createEngine bulk: true in every process that runs workflows or serves the HTTP API.",
  ),
  CALLBACK_INVALID: request(
    "A callback's token is none, is not whole, or was signed by a key, or under a namespace, that this engine does not have.",
    "Use the URL unchanged; keep the old key behind the new one in callbacks.signingKeys for as long as callbacks of it are open.",
  ),
  CALLBACK_USED: request(
    "A callback's token has been used: the first payload counts, whatever comes later.",
    "Nothing is left to be done; a request that is sent again because its answer was lost is told this too.",
  ),
  CALLBACK_LATE: request(
    "A callback's token comes too late: the wait timed out or was cancelled, or the run ended or was restarted.",
    "Ask for a new URL: a run that was restarted makes its own.",
  ),

  STEP_FAILED: author(
    "A step's body threw and no attempt is left. The error's cause is what it threw.",
    "Catch it in the workflow, or let the instance fail. The log has a line for each attempt.",
  ),
  STEP_TIMEOUT: author(
    "An attempt took longer than the step's timeout; it counts as failed.",
    "Raise the timeout or make the step smaller; honour the AbortSignal.",
  ),
  STEP_MAX_ATTEMPTS_EXCEEDED: author(
    "Every attempt is used up, the last one lost with its runner.",
    "Look for what kills the runner: memory, time limit, deploy.",
  ),
  JOIN_FAILED: author(
    "Branches of a join or a map have failed, or all branches of a race. A JoinError: `errors` has what each threw.",
    "Catch it, wrap it in step.try, or tolerate failures of a map.",
  ),
  CANCELLED: author(
    "The instance was cancelled: a CancelledError, which each step throws that is open or is called from then on.",
    "Let it pass. Clean up in `finally`, by steps of `step.shielded`.",
  ),
  DEADLINE_EXCEEDED: author(
    "The run's deadline has passed, and the run fails with it: each step that was open, or was called from then on, threw a CancelledError. Also thrown by update(), since a deadline that has passed is not moved.",
    "Create with a later deadline, or retry the instance, which then has none. Clean up in `finally`, by steps of `step.shielded`.",
  ),
  ROLLED_BACK: author(
    "The workflow threw a RollbackError, or the instance was terminated with a rollback: what its steps had done is undone.",
    "See its message and its cause; nothing is left to be done.",
  ),
  ROLLBACK_FAILED: author(
    "While a run was rolled back, the undo of a step failed for good. Steps that completed before that one are not undone.",
    "details.stepKey names the step, cause is what its undo threw, details.left names what is not undone.",
  ),
  UNDO_MISSING: author(
    "A run is to be rolled back, and the code has no undo any more for steps that had one when they completed. Nothing was undone.",
    "Deploy code that calls the steps in details.stepKeys with their undo.",
  ),
  CHILD_FAILED: author(
    "A child that step.invoke started has failed.",
    "The child's own error is the cause; details.instanceId names it. Catch it, or retry this instance once the cause is gone: that starts a new child.",
  ),
  CHILD_TERMINATED: author(
    "A child that step.invoke started was terminated.",
    "Look who terminated it: details.instanceId names it. Retrying this instance starts a new child.",
  ),
  EVENT_ALREADY_ANSWERED: author(
    "event.reply was called a second time for one event.",
    "Answer an event once.",
  ),
  INVALID_RECEIVE: author(
    "step.receive was given types, a count or a min that it cannot have.",
    "Give 1 to 16 event types, a count from 1 to 100, and a min from 1 to that count.",
  ),
  EVENT_TIMEOUT: author(
    "No event of the type arrived before the wait's deadline.",
    "Catch it, or use tryWaitForEvent.",
  ),
  INVALID_OUTPUT: author(
    "The workflow's return value does not fit its output schema.",
    "Return what the schema asks for.",
  ),
  NON_RETRYABLE: author(
    "A step's body threw NonRetryableError, so it is not tried again.",
    "See its message.",
  ),
  STEP_TRANSACTION_UNSUPPORTED: author(
    "A step writes into other tables, but the engine's store cannot commit such writes with the step, or the engine was not given the option stepTransactions.",
    "Use the SQL store on the database of those tables; for writeWithStep give createEngine stepTransactions: stepSql.",
  ),
  STEP_TRANSACTION_CLOSED: author(
    "tx.mutate, tx.serviceCalls or writeWithStep was called after the step's callback had returned.",
    "Call them before the callback ends; await what comes before.",
  ),
  WORKFLOW_INVALID: author(
    "A workflow definition or registry is wrong, for instance a name twice.",
    "details says which.",
  ),

  HISTORY_DIVERGED: determinism(
    "A step has another type now than in the instance's history; or an open wait asks for another type of event, which only warns.",
    "Rename the step, or publish the change under a new workflow name.",
  ),
  STEP_KEY_DUPLICATE: determinism(
    "Two calls with the same step name are in flight at once.",
    "Give each its own name, for instance with the loop's index.",
  ),
  SCOPE_CLOSED: determinism(
    "A branch's step was called after the branch had ended; in history, what a branch left open when it ended or lost.",
    "Await each step of a branch before its function returns, and use a branch's steps nowhere else.",
  ),
  RUN_STEP_LIMIT: determinism(
    "The run has more steps than the limit: sleeps do not count, scopes do, and rows that a loop has removed do no more.",
    "Split the workflow, or raise maxStepsPerRun.",
  ),
  RUN_SPINNING: determinism(
    "The workflow made thousands of calls of steps in a row that were refused or repeated a settled step.",
    "Let each turn of a loop settle something new.",
  ),
  CRASH_LOOP: {
    family: "store",
    when: "As many processes in a row as the limit allows died while they held the run, without progress.",
    fix: "Find what kills the process (memory, process.exit, a native crash), then restart the instance.",
  },
  COMMIT_REFUSED: {
    family: "store",
    when: "The database refuses for good to store what the run has come to.",
    fix: "details and cause say what was refused; restart the instance once the code writes something else.",
  },
  STEP_NOT_AWAITED: determinism(
    "The run ended while a step was still in flight or a wait was open.",
    "Await every step; a race's loser is aborted.",
  ),
  AWAIT_OUTSIDE_STEP: determinism(
    "The workflow awaits something that is not a step between steps.",
    "Move it into step.do.",
  ),

  STORE_UNAVAILABLE: {
    family: "store",
    when: "The database cannot be reached or closed the connection.",
    fix: "Try again; check the database.",
  },
  SCHEMA_MISMATCH: {
    family: "store",
    when: "The tables are missing or of another version.",
    fix: 'Run migrate() or store.migrate() of this version, or let the store do it: `migrations: "auto"`.',
  },
  TRANSACTION_CONFLICT: {
    family: "store",
    when: "In a transaction given to engine.with, another writer was there first: a serialization failure, a deadlock, a busy file or a row that stayed locked.",
    fix: "Roll the transaction back and run it again from its beginning; the error's cause is the driver's own.",
  },
  TRANSACTION_UNUSABLE: {
    family: "store",
    when: "What engine.with was given is no open transaction on the database of the engine's store, or has failed before, or has ended; or a result was awaited in it. Or a rewind or a fork was asked for in a transaction of one of Fragno's own adapters.",
    fix: "Give the transaction's own client, not the pool or the instance that began it; after the commit use the engine itself. With Fragno use createFragnoAdapter.",
  },
  STORE_OPTIONS_INVALID: {
    family: "store",
    when: "The URL, the file or the options that a store is to be made from cannot work, or its driver is not installed.",
    fix: "Read the message; it names what is wrong and never repeats the URL, which may hold a password.",
  },
  WAKE_FAILED: {
    family: "platform",
    when: "A wake could not be sent; the next tick finds the work.",
    fix: "Check the platform's wake path.",
  },
  DEPLOY_OPTIONS_INVALID: {
    family: "platform",
    when: "Deploy options contradict each other or the platform.",
    fix: "details says which.",
  },
  RUNNER_ID_INVALID: {
    family: "platform",
    when: "The engine was given a runnerId that is none.",
    fix: "Use 1 to 60 letters, digits, _ or -, and another one for each process.",
  },
  INVARIANT_BROKEN: {
    family: "invariant",
    when: "Escapement found itself in a state that its design excludes.",
    fix: "Report it with the details.",
  },
};

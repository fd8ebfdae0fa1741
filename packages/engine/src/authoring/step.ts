/** The arguments of workflow code: the event that started it, and its durable steps. */
import type { WorkflowDuration } from "../core/duration.ts";
import type { StepType } from "../core/model/status.ts";
import type { InvokeSteps } from "./invoke.ts";
import type { Attempted, ScopeSteps } from "./scopes.ts";
import type { ProgressSteps } from "./progress.ts";
import type { StoredResult } from "./stored-result.ts";
import type { TopicSteps } from "./topic.ts";
import type { StepOptions, StepBody } from "./step-options.ts";
import type {
  ReceivedEvent,
  WaitForEventOptions,
  EventSchemas,
  NoEvents,
  PayloadOf,
  ReadonlyPayload,
  DeclaredWait,
  UndeclaredWait,
  ReceiveSteps,
} from "./events.ts";
import type { CallbackSteps } from "./callback.ts";

/** What started the instance. @source founding spec 000 §6.1 */
export interface WorkflowEvent<TParams> {
  /** The params of `create`, as the schema returns them. */
  readonly payload: ReadonlyPayload<TParams>;
  /** When the instance was created, by the database's clock. */
  readonly timestamp: Date;
  /** The id of the instance, unique within its workflow. */
  readonly instanceId: string;
}

/**
 * Time and random values that are the same on every replay. They return at once and cost no row and no trip. Call them on the
 * `step` of the scope that you are in; after its branch has ended they throw SCOPE_CLOSED.
 */
export interface RepeatableValues {
  /**
   * Returns the database's time at the newest outcome that this code has seen. Before the first outcome, it is the time at which the
   * run was first claimed. It does not move between two outcomes, and never goes back.
   */
  now(): Date;
  /**
   * Returns a number in [0, 1), computed from the run, the place and the number of calls of `random` and `uuid` there. Not secret. If
   * you add a call before others at the same place, those return other values, also in runs that have begun: see `version`.
   */
  random(): number;
  /** Returns a UUID in the form of version 4. Like `random`, it is not secret. */
  uuid(): string;
}

/** The kind of a step before it was removed. */
export type RemovedKind = Exclude<StepType, "version" | "reply"> | "try";

/** Changes of code while runs are under way. */
export interface VersionedSteps {
  /**
   * Returns the version of the code that this run follows from here on: `if (step.version("mail", 2) === 1) … else …`. It is always
   * the same for a run: `latest`, or 1 if the run had got further with code that did not have the call. It costs no trip, and a row
   * only if it is not 1.
   *
   * @param latest an integer from 1; raise it by one each time the code changes again
   * @throws {WorkflowError} INVALID_VERSION, INVALID_STEP_NAME, SCOPE_CLOSED
   */
  version(name: string, latest: number): number;

  /**
   * Takes the place of a step, or of a scope with all of its steps, that the code no longer calls: `step.removed("survey", "do")`. Histories that have it do
   * not count as diverged, and if it is open, it is closed as `cancelled`. It counts as a use of the step's name. If there is no
   * such kind, the run fails with INVALID_SCOPE.
   *
   * @throws {WorkflowError} INVALID_STEP_NAME, SCOPE_CLOSED
   */
  removed(name: string, kind: RemovedKind): void;
}

/** @typeParam TStep the steps of a workflow */
export interface ShieldedSteps<TStep> {
  /**
   * The same steps, at the same place and with the same names, which continue when the instance is cancelled. Use them to
   * clean up: `await step.shielded.do("release", () => release(room))` in a `finally`. A scope that you call on it is shielded with all of its steps.
   */
  readonly shielded: TStep;
}

/**
 * The durable operations of a workflow.
 *
 * The name of a step is its identity. Using a name again later in the run is its next occurrence (`poll`, `poll#2`), unless
 * the workflow sets `repeatedNames: "cached"`. Always await a step. Its promise settles at most once, and never rejects
 * because the run is parked.
 *
 * To wrap the steps, use a Proxy or an object that calls them: a spread (`{ ...step }`) does not copy all of them.
 */
export interface WorkflowStep<TEvents extends EventSchemas = NoEvents>
  extends
    ScopeSteps<WorkflowStep<TEvents>>,
    CallbackSteps,
    InvokeSteps,
    ReceiveSteps<TEvents>,
    TopicSteps,
    ProgressSteps,
    RepeatableValues,
    VersionedSteps,
    ShieldedSteps<WorkflowStep<TEvents>> {
  /**
   * Runs the body and stores its result as JSON: `await step.do("charge", ({ idempotencyKey }) => charge(500, idempotencyKey))`.
   * A step that has completed is not run again; replays get its stored result. A body that throws is tried again, by default
   * five times, after 10, 20, 40, 80 and 160 seconds. Its process may die after the effect and before the commit: then it
   * runs again too, so pass `idempotencyKey` on.
   *
   * @throws {WorkflowError} STEP_FAILED, STEP_TIMEOUT, STEP_MAX_ATTEMPTS_EXCEEDED — no attempt is left; `name` and `message`
   *   are those of the last error; UNKNOWN_OPTION, INVALID_RETRY_POLICY, INVALID_UNDO, INVALID_DURATION
   * @throws {CancelledError} CANCELLED — the instance was cancelled; all steps that are not shielded throw it
   */
  do<T>(name: string, body: StepBody<T> & StoredResult<T>): Promise<T>;
  do<T>(name: string, options: StepOptions<T>, body: StepBody<T> & StoredResult<T>): Promise<T>;

  /**
   * Like `do`, but returns a failure as a value: `const paid = await step.tryDo("charge", charge); if (!paid.ok) …`. It never rejects.
   *
   * @returns `{ ok: true, value }` or `{ ok: false, kind, error }`
   */
  tryDo<T>(name: string, body: StepBody<T> & StoredResult<T>): Promise<Attempted<T>>;
  tryDo<T>(
    name: string,
    options: StepOptions<T>,
    body: StepBody<T> & StoredResult<T>,
  ): Promise<Attempted<T>>;

  /**
   * Waits: `await step.sleep("cool down", "10 minutes")`. The process holds nothing meanwhile, and may end.
   *
   * @param duration milliseconds or a duration string, 0 to 365 days
   * @throws {WorkflowError} INVALID_DURATION, INVALID_STEP_NAME
   * @throws {CancelledError} CANCELLED — the instance was cancelled, as of every wait
   */
  sleep(name: string, duration: WorkflowDuration): Promise<void>;
  /**
   * Waits until a point in time: `await step.sleepUntil("renewal", new Date("2027-01-01"))`. One that has passed ends at once. Compute it with `step.now()`, not with `Date.now()`, which
   * is later at each replay.
   *
   * @param timestamp a Date or epoch milliseconds, at most 365 days ahead
   * @throws {WorkflowError} INVALID_DURATION, INVALID_STEP_NAME
   */
  sleepUntil(name: string, timestamp: Date | number): Promise<void>;

  /**
   * Waits for an event of a type: `await step.waitForEvent("payment", { type: "paid", timeout: "7 days" })`. It takes the oldest
   * one that was sent to the instance and not taken yet, also if it came before the wait. If the workflow declares `events`, the
   * type has to be one of them, and its payload is typed.
   *
   * @returns the event, with `payload`, and `reply` to answer it
   * @throws {WorkflowError} EVENT_TIMEOUT — none came within `timeout`, by default 24 hours; EVENT_UNDECLARED,
   *   INVALID_EVENT_TYPE, INVALID_DURATION, UNKNOWN_OPTION
   */
  waitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitForEventOptions<TType>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>>>;
  waitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitForEventOptions>
  ): Promise<ReceivedEvent<T>>;

  /** Like `waitForEvent`, but returns null at the timeout and throws no EVENT_TIMEOUT. */
  tryWaitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitForEventOptions<TType>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>> | null>;
  tryWaitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitForEventOptions>
  ): Promise<ReceivedEvent<T> | null>;
}

/** What workflow code is given: the event that started it and its durable steps. */
import type { WorkflowDuration } from "../core/duration.ts";
import type { StepType } from "../core/model/status.ts";
import type { InvokeSteps } from "./invoke.ts";
import type { Attempted, ScopeSteps } from "./scopes.ts";
import type { ProgressSteps } from "./progress.ts";
import type { TopicSteps } from "./topic.ts";
import type { StepOptions, StepBody } from "./step-options.ts";
import type {
  ReceivedEvent,
  WaitForEventOptions,
  EventSchemas,
  NoEvents,
  PayloadOf,
  DeclaredWait,
  UndeclaredWait,
  ReceiveSteps,
} from "./events.ts";
import type { CallbackSteps } from "./callback.ts";

/** What started the instance. @source founding spec 000 §6.1 */
export interface WorkflowEvent<TParams> {
  readonly payload: Readonly<TParams>;
  /** When the instance was created, database time. */
  readonly timestamp: Date;
  readonly instanceId: string;
}

/**
 * Time and chance that are the same on every replay, at once: none of it has a row or costs a trip. Call them by the steps of
 * the scope that you are in, as any step; once its branch has ended they throw SCOPE_CLOSED.
 */
export interface RepeatableValues {
  /**
   * The time, by the database's clock: when the newest outcome came about that this code has been told; before the first,
   * when the run was first claimed. It stands still between two outcomes, and never goes back.
   */
  now(): Date;
  /**
   * A number in [0, 1). It follows from the run, the place and how often `random` and `uuid` were called there: no secret. A
   * call that is put before others of its place changes what those give, also to runs that are on their way: see `version`.
   */
  random(): number;
  /** A UUID in the form of version 4; as `random`. */
  uuid(): string;
}

/** What a call of a step was before it was removed. */
export type RemovedKind = Exclude<StepType, "version" | "reply"> | "try";

/** Code that changes while runs are on their way. */
export interface VersionedSteps {
  /**
   * The version of the code that this run is to follow from here on: `latest`, and the same for ever, unless the run has been
   * further by code without the call: then 1. It costs no trip, and a row only where it is not 1.
   *
   * @param latest an integer from 1; one more each time that the code changes again
   * @throws {WorkflowError} INVALID_VERSION, INVALID_STEP_NAME, SCOPE_CLOSED
   */
  version(name: string, latest: number): number;

  /**
   * Stands in place of a step, or of a scope with all of its steps, that the code calls no more: what histories have of it is
   * no divergence, what is open of it is closed as `cancelled`. It takes the step's use of the name.
   *
   * @throws {WorkflowError} INVALID_SCOPE — no such kind; INVALID_STEP_NAME, SCOPE_CLOSED
   */
  removed(name: string, kind: RemovedKind): void;
}

/** @typeParam TStep the steps of a workflow */
export interface ShieldedSteps<TStep> {
  /**
   * The same steps, in the same place and under the same names, which go on though the instance is cancelled: for what is to
   * be cleaned up. Scopes of it are shielded with all of their steps.
   */
  readonly shielded: TStep;
}

/**
 * The durable operations of a workflow. Every name is the step's identity: the same name later in the run is its next
 * occurrence (`poll`, `poll#2`), unless the workflow says `repeatedNames: "cached"`. Always await; a promise of a step settles at most once and never rejects because of a wait.
 * To wrap the steps use a Proxy, or an object that calls them: a spread (`{ ...step }`) does not copy all of them.
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
   * Runs the body once and remembers its JSON result.
   *
   * @throws {WorkflowError} STEP_FAILED, STEP_TIMEOUT, STEP_MAX_ATTEMPTS_EXCEEDED — no attempt is left; `name` and
   *   `message` are those of the last error; UNKNOWN_OPTION, INVALID_RETRY_POLICY, INVALID_UNDO, INVALID_DURATION
   * @throws {CancelledError} CANCELLED — the instance was cancelled; so do all steps that are not shielded
   */
  do<T>(name: string, body: StepBody<T>): Promise<T>;
  do<T>(name: string, options: StepOptions<T>, body: StepBody<T>): Promise<T>;

  /** As `do`, but a failure is a value. It never rejects. */
  tryDo<T>(name: string, body: StepBody<T>): Promise<Attempted<T>>;
  tryDo<T>(name: string, options: StepOptions<T>, body: StepBody<T>): Promise<Attempted<T>>;

  /** Waits for so long, at most 365 days; nothing is held meanwhile. @throws {WorkflowError} INVALID_DURATION */
  sleep(name: string, duration: WorkflowDuration): Promise<void>;
  /** Waits until an instant (a Date or epoch milliseconds), at most 365 days ahead. */
  sleepUntil(name: string, timestamp: Date | number): Promise<void>;

  /**
   * Waits for an event of a type; where the workflow declares `events`, of one of them.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT; EVENT_UNDECLARED, INVALID_EVENT_TYPE, INVALID_DURATION, UNKNOWN_OPTION
   */
  waitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitForEventOptions<TType>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>>>;
  waitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitForEventOptions>
  ): Promise<ReceivedEvent<T>>;

  /** As `waitForEvent`, but a timeout is a value: null. */
  tryWaitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitForEventOptions<TType>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>> | null>;
  tryWaitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitForEventOptions>
  ): Promise<ReceivedEvent<T> | null>;
}

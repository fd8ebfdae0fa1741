/** What workflow code is given: the event that started it and its durable steps. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Backoff } from "../core/backoff.ts";
import type { WorkflowDuration } from "../core/duration.ts";
import type { StepType } from "../core/model/status.ts";
import type { InvokeSteps } from "./invoke.ts";
import type { Attempted, ScopeSteps } from "./scopes.ts";
import type { ProgressSteps } from "./progress.ts";
import type { TopicSteps } from "./topic.ts";

/** What started the instance. @source founding spec 000 §6.1 */
export interface WorkflowEvent<TParams> {
  readonly payload: Readonly<TParams>;
  /** When the instance was created, database time. */
  readonly timestamp: Date;
  readonly instanceId: string;
}

/** How often, and how soon, a step is tried again. */
export interface StepRetries {
  /** Retries after the first attempt; 0: at most once; `Infinity` is allowed. @default 5 @minimum 0 */
  readonly limit: number;
  /**
   * Milliseconds or a duration string; or a function that gives them for the attempt that failed, and for what it threw.
   * Of a function `jitter` takes its share, `backoff` has no say, and the attempt is counted as for `shouldRetry`. Not
   * asked for an error that carries its own delay, such as a `RetryableError`.
   *
   * @default "10 seconds"
   */
  readonly delay?: WorkflowDuration | ((attempt: number, error: unknown) => WorkflowDuration);
  /** @default "exponential" */
  readonly backoff?: Backoff;
  /** Random share of each delay, 0–1. @default 0 */
  readonly jitter?: number;
  /**
   * Says whether what an attempt threw is worth another one; false: the step fails now, with that error. Asked once for
   * each attempt that threw or timed out while `limit` allows another, but not for an error that is final anyway
   * (`NonRetryableError`), nor for an attempt that was lost with its process. Only the answer is stored: a replay does not
   * ask again, and a deployment asks its own function from then on.
   *
   * One that throws, or returns anything but true or false (a promise too), fails the step with INVALID_RETRY_POLICY, whose
   * cause is what the body threw; so does a function for `delay`.
   *
   * @param attempt 1-based, counted as `limit` counts: without lost attempts, which `StepContext.attempt` counts too
   * @default () => true
   */
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
}

/** How one step is retried and timed out. @source founding spec 000 §6.2; `jitter` is ours */
export interface WorkflowStepConfig {
  /** @default the workflow's, else 5 retries from 10 seconds on, exponentially */
  readonly retries?: StepRetries;
  /** Per attempt: milliseconds or a duration string. @default "10 minutes" */
  readonly timeout?: WorkflowDuration;
}

/**
 * Undoes what a step did, if the run is rolled back after the step completed. It may run more than once, as a body may.
 *
 * @param result what the step's body returned
 */
export type StepUndo<T> = (result: T, context: StepContext) => unknown;

/** An undo with retries of its own. */
export interface UndoOptions<T> extends WorkflowStepConfig {
  readonly run: StepUndo<T>;
}

/** How one step is retried, timed out, and undone. */
export interface StepOptions<T> extends WorkflowStepConfig {
  /**
   * What to do about the step when the run is rolled back, which is a step of its own: `pay/undo` of `pay`, retried as the
   * workflow's steps are. A loop of `step.loop` that has such steps keeps all of its iterations. @default nothing
   */
  readonly undo?: StepUndo<T> | UndoOptions<T>;
}

/** What a step's body is told of itself. */
export interface StepContext {
  readonly stepKey: string;
  /** 1-based; counts lost attempts. */
  readonly attempt: number;
  /** The same for every attempt of this step in this run: pass it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Aborted on timeout, when the lease is lost, and when the run ends without this step. */
  readonly signal: AbortSignal;
  /**
   * Adds an entry of this attempt to the instance's stream (`instance.stream()`). It is committed within 200 ms, with others
   * that came meanwhile, or with the attempt's outcome; an attempt that fails, or is lost, has told what it has. Resolves at
   * once, unless 1000 entries or 1 MiB wait to be committed: then once they are. After the attempt's end, and in `onConsume`
   * and `onTerminalError`, it does nothing.
   *
   * @param value any value that a step may return, within `limits.maxProgressEntryBytes`; undefined is told as null
   * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  readonly progress: (value: unknown) => Promise<void>;
}

/** The body of `step.do`: what it returns is kept as the step's result. */
export type StepBody<T> = (context: StepContext) => Promise<T> | T;

/** What an event says. */
export interface EventData<TPayload, TType extends string = string> {
  readonly type: TType;
  readonly payload: Readonly<TPayload>;
  /** When the event was accepted, database time. */
  readonly timestamp: Date;
  /** The sender's own id, if it gave one; `instance.ask` always does. */
  readonly eventId?: string;
}

/** An event that satisfied a wait. */
export interface ReceivedEvent<TPayload, TType extends string = string> extends EventData<
  TPayload,
  TType
> {
  /**
   * Answers the event, whether or not its sender waits (`instance.ask`). Call it from workflow code at any later point of
   * the run, not in the body of a step: the reply is committed with the run's next step, once, whatever is replayed. It is
   * not on copies of the event.
   *
   * @param value any value that a step may return, within `limits.maxEventPayloadBytes`
   * @throws {WorkflowError} EVENT_ALREADY_ANSWERED, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  reply(value?: unknown): void;
}

/** Which event is waited for, and how long. */
export interface WaitForEventOptions<TType extends string = string> {
  /** 1–100 letters, digits, `_`, `-`. */
  readonly type: TType;
  /** Milliseconds or a duration string, 1 second to 365 days. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
  /** `run`: an event sent before the wait was reached counts; `wait`: only later ones. @default "run" */
  readonly since?: "run" | "wait";
}

/** Which events a batch is made of, how many, and how long they are waited for. */
export interface ReceiveOptions<TType extends string = string> {
  /** 1–16 types, each as in `WaitForEventOptions`. */
  readonly types: readonly TType[];
  /** Events at most, 1–100. The batch also ends before its payloads are more than `limits.maxStepResultBytes`. @default 100 */
  readonly count?: number;
  /** Events to wait for, 1 to `count`; at the timeout there may be fewer. @default 1 */
  readonly min?: number;
  /** Milliseconds or a duration string, 1 second to 365 days. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
}

/** How long a callback's payload is waited for. */
export interface CallbackOptions {
  /** Milliseconds or a duration string, 1 second to 365 days, from the first call of `payload()` on. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
}

/** A URL to give away, and what comes to it. */
export interface Callback<TPayload> {
  /** Takes one POST, whose JSON body is the payload. Who has it needs nothing else: it is a secret. */
  readonly url: string;
  /** The last part of the URL: `engine.completeCallback(token, payload)` does the same. */
  readonly token: string;
  /**
   * Waits for the payload, also for one that came before this was called; again, it is the same wait. It may come from
   * anybody who had the URL: check it.
   *
   * @throws {WorkflowError} EVENT_TIMEOUT; SCOPE_CLOSED — the branch that made the callback has ended
   */
  payload(): Promise<TPayload>;
}

/** Steps that are ended from outside by who has their URL. */
export interface CallbackSteps {
  /**
   * Makes a URL that takes one payload: a webhook, an approval link. It is the same on every replay and costs no trip and no row;
   * `payload()` is the step, and waits as `waitForEvent` does. It takes no more once the run has ended or was restarted.
   *
   * @throws {WorkflowError} CALLBACK_DISABLED — the engine has no option `callbacks`; INVALID_STEP_NAME, INVALID_DURATION,
   *   STEP_KEY_DUPLICATE, SCOPE_CLOSED, UNKNOWN_OPTION
   */
  callback<T = unknown>(name: string, options?: CallbackOptions): Promise<Callback<T>>;
}

/** Event types that a workflow declares, with the schema of their payloads. */
export type EventSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** No event types are declared: every type may be sent and waited for. */
export type NoEvents = Readonly<Record<never, never>>;

/** Payload of a declared event type, as its schema returns it; unknown where none is declared. */
export type PayloadOf<TEvents extends EventSchemas, TType extends keyof TEvents> = [
  keyof TEvents,
] extends [never]
  ? unknown
  : StandardSchemaV1.InferOutput<TEvents[TType]>;

/**
 * Arguments of a wait where event types are declared. `waitForEvent` has one form for declared types and one for any type, and
 * the form that does not apply takes no arguments: so a misspelt type is one short message of the compiler.
 */
export type DeclaredWait<TEvents extends EventSchemas, TOptions> = [keyof TEvents] extends [never]
  ? [none: never]
  : [name: string, options: TOptions];

/** Arguments of a wait where no event types are declared. */
export type UndeclaredWait<TEvents extends EventSchemas, TOptions> = [keyof TEvents] extends [never]
  ? [name: string, options: TOptions]
  : [none: never];

/** An event of one of some declared types: its type tells which payload it has. */
export type DeclaredEvent<
  TEvents extends EventSchemas,
  TType extends keyof TEvents & string = keyof TEvents & string,
> = { readonly [T in TType]: ReceivedEvent<PayloadOf<TEvents, T>, T> }[TType];

/** Steps that take several events. */
export interface ReceiveSteps<TEvents extends EventSchemas = NoEvents> {
  /**
   * Takes the events that are there, of any of the types, oldest first: as soon as there are `min`, up to `count`. At the
   * timeout those that came in time, which may be none; what comes later is for the next wait. Each event is taken once,
   * whatever other waits ask for it.
   *
   * @returns the events, in the order in which they were accepted; `[]` when none came in time
   * @throws {WorkflowError} INVALID_RECEIVE, INVALID_EVENT_TYPE, EVENT_UNDECLARED, INVALID_DURATION, UNKNOWN_OPTION
   */
  receive<TType extends keyof TEvents & string>(
    ...receive: DeclaredWait<TEvents, ReceiveOptions<TType>>
  ): Promise<DeclaredEvent<TEvents, TType>[]>;
  receive<T = unknown>(
    ...receive: UndeclaredWait<TEvents, ReceiveOptions>
  ): Promise<ReceivedEvent<T>[]>;
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

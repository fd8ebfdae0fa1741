/** What workflow code is given: the event that started it and its durable steps. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Backoff } from "../core/backoff.ts";
import type { WorkflowDuration } from "../core/duration.ts";

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
  /** Milliseconds or a duration string. @default "10 seconds" */
  readonly delay?: WorkflowDuration;
  /** @default "exponential" */
  readonly backoff?: Backoff;
  /** Random share of each delay, 0–1. @default 0 */
  readonly jitter?: number;
}

/** How one step is retried and timed out. @source founding spec 000 §6.2; `jitter` is ours */
export interface WorkflowStepConfig {
  /** @default the workflow's, else 5 retries from 10 seconds on, exponentially */
  readonly retries?: StepRetries;
  /** Per attempt: milliseconds or a duration string. @default "10 minutes" */
  readonly timeout?: WorkflowDuration;
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
}

/** The body of `step.do`: what it returns is kept as the step's result. */
export type StepBody<T> = (context: StepContext) => Promise<T> | T;

/** An event that satisfied a wait. */
export interface ReceivedEvent<TPayload> {
  readonly type: string;
  readonly payload: Readonly<TPayload>;
  /** When the event was accepted, database time. */
  readonly timestamp: Date;
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

/**
 * The durable operations of a workflow. Every name is the step's identity: the same name later in the run is its next
 * occurrence (`poll`, `poll#2`), unless the workflow says `repeatedNames: "cached"`. Always await; a promise of a step settles at most once and never rejects because of a wait.
 */
export interface WorkflowStep<TEvents extends EventSchemas = NoEvents> {
  /**
   * Runs the body once and remembers its JSON result.
   *
   * @throws {WorkflowError} STEP_FAILED, STEP_TIMEOUT, STEP_MAX_ATTEMPTS_EXCEEDED — no attempt is left; `name` and
   *   `message` are those of the last error; UNKNOWN_OPTION, INVALID_RETRY_POLICY, INVALID_DURATION
   */
  do<T>(name: string, body: StepBody<T>): Promise<T>;
  do<T>(name: string, config: WorkflowStepConfig, body: StepBody<T>): Promise<T>;

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

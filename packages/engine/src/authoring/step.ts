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

/** How one step is retried and timed out. @source founding spec 000 §6.2; `jitter` is ours */
export interface WorkflowStepConfig {
  readonly retries?: {
    /** Retries after the first attempt; 0: at most once; `Infinity` is allowed. @default 5 @minimum 0 */
    readonly limit: number;
    /** Milliseconds or a duration string. @default "10 seconds" */
    readonly delay?: WorkflowDuration;
    /** @default "exponential" */
    readonly backoff?: Backoff;
    /** Random share of each delay, 0–1. @default 0 */
    readonly jitter?: number;
  };
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

export type StepBody<T> = (context: StepContext) => Promise<T> | T;

/** An event that satisfied a wait. */
export interface ReceivedEvent<TPayload> {
  readonly type: string;
  readonly payload: Readonly<TPayload>;
  /** When the event was accepted, database time. */
  readonly timestamp: Date;
}

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

/** Payload of a declared event type, or what the caller says it is. */
export type PayloadOf<
  TEvents extends EventSchemas,
  TType extends string,
> = TType extends keyof TEvents ? StandardSchemaV1.InferOutput<TEvents[TType]> : unknown;

/**
 * The durable operations of a workflow. Every name is the step's identity: the same name later in the run is its next
 * occurrence (`poll`, `poll#2`), unless the workflow says `repeatedNames: "cached"`. Always await; a promise of a step settles at most once and never rejects because of a wait.
 */
export interface WorkflowStep<
  TEvents extends EventSchemas = Readonly<Record<never, StandardSchemaV1>>,
> {
  /**
   * Runs the body once and remembers its JSON result.
   *
   * @throws {WorkflowError} STEP_FAILED, STEP_TIMEOUT, STEP_MAX_ATTEMPTS_EXCEEDED — no attempt is left; `name` and
   *   `message` are those of the last error
   */
  do<T>(name: string, body: StepBody<T>): Promise<T>;
  do<T>(name: string, config: WorkflowStepConfig, body: StepBody<T>): Promise<T>;

  /** Waits for so long, at most 365 days; nothing is held meanwhile. */
  sleep(name: string, duration: WorkflowDuration): Promise<void>;
  /** Waits until an instant (a Date or epoch milliseconds), at most 365 days ahead. */
  sleepUntil(name: string, timestamp: Date | number): Promise<void>;

  /** Waits for an event of a type. @throws {WorkflowError} EVENT_TIMEOUT */
  waitForEvent<TType extends keyof TEvents & string>(
    name: string,
    options: WaitForEventOptions<TType>,
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>>>;
  waitForEvent<T = unknown>(name: string, options: WaitForEventOptions): Promise<ReceivedEvent<T>>;

  /** As `waitForEvent`, but a timeout is a value: null. */
  tryWaitForEvent<TType extends keyof TEvents & string>(
    name: string,
    options: WaitForEventOptions<TType>,
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>> | null>;
  tryWaitForEvent<T = unknown>(
    name: string,
    options: WaitForEventOptions,
  ): Promise<ReceivedEvent<T> | null>;
}

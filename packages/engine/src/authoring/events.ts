/** Events as workflow code sees them: what it waits for, and what it gets. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { WorkflowDuration } from "../core/duration.ts";

/**
 * A payload as workflow code gets it, which must not change it. `Readonly` alone would take away what makes a branded string a
 * string, and would let code use an unknown payload that may be undefined.
 */
export type ReadonlyPayload<TPayload> = TPayload extends string | number | bigint | boolean
  ? TPayload
  : TPayload extends object
    ? Readonly<TPayload>
    : TPayload;

/** The data of an event. */
export interface EventData<TPayload, TType extends string = string> {
  readonly type: TType;
  readonly payload: ReadonlyPayload<TPayload>;
  /** When the event was accepted, by the database's clock. */
  readonly timestamp: Date;
  /** The sender's own id, if it gave one. `instance.ask` always does. */
  readonly eventId?: string;
}

/** An event that satisfied a wait. */
export interface ReceivedEvent<TPayload, TType extends string = string> extends EventData<
  TPayload,
  TType
> {
  /**
   * Answers the event, whether or not its sender waits for that (`instance.ask`). Call it from workflow code at any later
   * point of the run, but not in the body of a step. The reply is committed with the next step of the run, once, even if the
   * code is replayed. Copies of the event do not have this method.
   *
   * @param value any value that a step may return, within `limits.maxEventPayloadBytes`
   * @throws {WorkflowError} EVENT_ALREADY_ANSWERED, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  reply(value?: unknown): void;
}

/** Which event to wait for, and how long. */
export interface WaitForEventOptions<TType extends string = string> {
  /** 1–100 letters, digits, `_`, `-`. */
  readonly type: TType;
  /** Milliseconds or a duration string, 1 second to 365 days. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
  /** `run`: events that were sent before the wait count, too. `wait`: only later ones. @default "run" */
  readonly since?: "run" | "wait";
}

/** Which events to take in a batch, how many, and how long to wait for them. */
export interface ReceiveOptions<TType extends string = string> {
  /** 1–16 types, each as in `WaitForEventOptions`. */
  readonly types: readonly TType[];
  /**
   * The most events to take, 1–100. The batch also ends before its payloads are more than `limits.maxStepResultBytes`.
   * @default 100
   */
  readonly count?: number;
  /** How many events to wait for, 1 to `count`. At the timeout there may be fewer. @default 1 */
  readonly min?: number;
  /** Milliseconds or a duration string, 1 second to 365 days. @default "24 hours" */
  readonly timeout?: WorkflowDuration;
}

/** Event types that a workflow declares, with the schema of their payloads. */
export type EventSchemas = Readonly<Record<string, StandardSchemaV1>>;

/** No event types are declared: any type can be sent and waited for. */
export type NoEvents = Readonly<Record<never, never>>;

/** The payload of a declared event type, as its schema returns it; unknown if none is declared. */
export type PayloadOf<TEvents extends EventSchemas, TType extends keyof TEvents> = [
  keyof TEvents,
] extends [never]
  ? unknown
  : StandardSchemaV1.InferOutput<TEvents[TType]>;

/**
 * Arguments of a wait if event types are declared. `waitForEvent` has one form for declared types and one for any type, and
 * the form that does not apply takes one argument more. So the compiler does not try it, and reports a misspelt type with one
 * short message.
 */
export type DeclaredWait<TEvents extends EventSchemas, TOptions> = [keyof TEvents] extends [never]
  ? Inapplicable
  : [name: string, options: TOptions];

/** Arguments of a wait if no event types are declared. */
export type UndeclaredWait<TEvents extends EventSchemas, TOptions> = [keyof TEvents] extends [never]
  ? [name: string, options: TOptions]
  : Inapplicable;

type Inapplicable = [name: never, options: never, none: never];

/** An event of one of several declared types; narrow its payload by its type. */
export type DeclaredEvent<
  TEvents extends EventSchemas,
  TType extends keyof TEvents & string = keyof TEvents & string,
> = { readonly [T in TType]: ReceivedEvent<PayloadOf<TEvents, T>, T> }[TType];

/** Steps that take several events. */
export interface ReceiveSteps<TEvents extends EventSchemas = NoEvents> {
  /**
   * Takes several events at once: `await step.receive("orders", { types: ["added", "removed"], count: 50, timeout: "1 hour" })`. It takes
   * those of these types that have come, oldest first: as soon as there are `min`, up to `count`. At the timeout
   * it takes those that came in time, which may be none. Later ones are for the next wait. Each event is taken only once,
   * even if other waits ask for it.
   *
   * @returns the events, in the order in which they were accepted; `[]` if none came in time
   * @throws {WorkflowError} INVALID_RECEIVE, INVALID_EVENT_TYPE, EVENT_UNDECLARED, INVALID_DURATION, UNKNOWN_OPTION
   */
  receive<TType extends keyof TEvents & string>(
    ...receive: DeclaredWait<TEvents, ReceiveOptions<TType>>
  ): Promise<DeclaredEvent<TEvents, TType>[]>;
  receive<T = unknown>(
    ...receive: UndeclaredWait<TEvents, ReceiveOptions>
  ): Promise<ReceivedEvent<T>[]>;
}

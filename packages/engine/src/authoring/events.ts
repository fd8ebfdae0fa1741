/** Events as workflow code sees them: what is waited for, and what comes. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { WorkflowDuration } from "../core/duration.ts";

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

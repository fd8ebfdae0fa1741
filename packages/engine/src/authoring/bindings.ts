/** Typed handles of workflows and instances, as on Cloudflare. @source founding spec 000 §6.3, §6.5 */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { WorkflowDuration } from "../core/duration.ts";
import type { Explanation } from "../core/explain/explanation.ts";
import type { InstanceDescription } from "../ports/describe.ts";
import type { InstanceStatus } from "../ports/instance-views.ts";
import type { SendEventInput } from "../ports/event-inputs.ts";
import type {
  ControlOptions,
  TerminateOptions,
  ForkOptions,
  Preconditions,
  RestartOptions,
  RetryOptions,
  RestartOrCreateInput,
  RestartOrCreateOutput,
  RewindOptions,
  UpdateOptions,
} from "../ports/command-options.ts";
import type { CreateBatchOptions, RunOptions, StartInput } from "../ports/create-inputs.ts";
import type { StreamEntry, StreamOptions } from "./progress.ts";
import type { EventSchemas, NoEvents } from "./events.ts";

/** How long `result` waits. */
export interface ResultOptions {
  /** Milliseconds or a duration string. @default "1 minute" */
  readonly timeout?: WorkflowDuration;
}

/** How long `ask` waits. */
export interface AskOptions {
  /** Milliseconds or a duration string. @default "1 minute" */
  readonly timeout?: WorkflowDuration;
}

/** An instance. `TOutput` is what its workflow returns, `TEvents` the event types that it declares. */
export interface WorkflowInstance<TOutput = unknown, TEvents extends EventSchemas = NoEvents> {
  /** Unique within the workflow. */
  readonly id: string;
  /**
   * Reads the status now, with the output or the error: `{ status: "complete", runNumber: 1, output }`. To wait for the end, call
   * `result`. @throws INSTANCE_NOT_FOUND
   */
  status(): Promise<InstanceStatus<TOutput>>;
  /**
   * Describes the instance in full: params, times, next wake, current steps and what each waits for. @throws
   * INSTANCE_NOT_FOUND
   */
  describe(): Promise<InstanceDescription>;
  /**
   * Explains why the instance is not moving: the cause as data, and a sentence that says what to do next. One trip, and no
   * payloads.
   *
   * @throws INSTANCE_NOT_FOUND
   */
  explain(): Promise<Explanation>;
  /**
   * Waits until the instance has ended, for a minute unless you give `timeout` (`"10 seconds"`), and returns what its workflow returned. If
   * the run is in this process, it knows of the end at once. Otherwise it asks the database, first often, later once a
   * second. If the instance is restarted meanwhile, it waits for the new run. In workflow code, call it in a step with a
   * longer timeout.
   *
   * @throws the error of an instance that failed, with its name, message, code and cause; INSTANCE_TERMINATED,
   *   RESULT_TIMEOUT, ENGINE_CLOSED, INSTANCE_NOT_FOUND, INVALID_DURATION, STORE_UNAVAILABLE
   */
  result(options?: ResultOptions): Promise<TOutput>;
  /**
   * Pauses the instance until you call `resume`; a running one stops at its next step boundary. Its sleeps and timeouts keep running.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  pause(options?: ControlOptions): Promise<void>;
  /**
   * Resumes a paused instance, or cancels a pause that has not taken effect yet.
   *
   * @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  resume(options?: ControlOptions): Promise<void>;
  /**
   * Asks the run to end. Each of its open steps, and each step that it calls from then on, throws a CancelledError: at once
   * if the run waits, or else as soon as its process knows. The code can clean up in `finally`, with steps of
   * `step.shielded`. Then the instance is `terminated`, unless its code ended before. A second call changes nothing.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  cancel(options?: ControlOptions): Promise<void>;
  /**
   * Ends the instance at once: none of its code runs any more, not even a `finally`. With `{ rollback: true }` it ends after undoing what
   * it has done. To let the code clean up, call `cancel`.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  terminate(options?: TerminateOptions): Promise<void>;
  /**
   * Starts a new run under the same id. Earlier runs are kept. The steps have the same idempotency keys as in the run before,
   * so that services do not repeat what they have done, unless you set `newKeys`.
   *
   * @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  restart(options?: RestartOptions): Promise<void>;
  /**
   * Continues a failed run from the steps that made it fail. They get new attempts with the same idempotency keys, and
   * completed steps do not run again. Errors that the code caught before stay as they are. If no step made the run fail, its
   * code runs again over its history. With `from`, the run goes back to that step as by `rewind`, and keeps the idempotency
   * keys, so that services recognise what they have done.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH, STATUS_MISMATCH; with `from` also STEP_NOT_FOUND, STEP_PASSED,
   *   RUN_UNDONE, IDEMPOTENCY_KEY_CONFLICT
   */
  retry(options?: RetryOptions): Promise<void>;
  /**
   * Takes the run back to a step, which you name by its key in the history: `await instance.rewind("charge")`. That step and everything that settled with it or
   * later runs again, with new idempotency keys; what settled before stays. Open steps begin again. Events that these steps
   * consumed can be consumed again. A process that holds the run loses it, and a paused instance stays paused. The history
   * records the rewind as an event.
   *
   * @throws INSTANCE_NOT_FOUND, STEP_NOT_FOUND, STEP_PASSED, RUN_UNDONE, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  rewind(stepKey: string, options?: RewindOptions): Promise<void>;
  /**
   * Creates an instance that begins with a copy of the steps that settled before a step, and continues from there: `await
   * instance.fork("charge", { id: "order-17-again" })`. This
   * instance does not change. The new one has its own idempotency keys, and its own values of `step.uuid` and `step.random`.
   *
   * @throws as rewind, and INSTANCE_ID_ALREADY_EXISTS, INVALID_PARAMS, IDEMPOTENCY_KEY_CONFLICT
   */
  fork(stepKey: string, options?: ForkOptions): Promise<WorkflowInstance<TOutput, TEvents>>;
  /**
   * Changes deadline, tags or memo: `await instance.update({ deadline: "2 days", tags: ["vip"] })`. It works in any status, for the
   * deadline only if the instance has not ended. Options that you omit
   * stay as they are.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, DEADLINE_EXCEEDED — the deadline that is to be moved has passed;
   *   RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, INVALID_DURATION, PAYLOAD_TOO_LARGE
   */
  update(options: UpdateOptions): Promise<void>;
  /**
   * Deletes an instance that has ended, with all its runs, everything that they stored, and its children and theirs. It is no
   * error if the instance does not exist.
   *
   * @throws INSTANCE_NOT_ENDED — it is under way, or one of its children is, or the run that started it;
   *   RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, UNKNOWN_OPTION
   */
  delete(options?: Preconditions): Promise<void>;
  /**
   * Sends an event, which is kept until a wait consumes it: `await instance.sendEvent({ type: "paid", payload: { cents: 500 } })`.
   * With an `eventId`, it is sent once, however often you call.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, EVENT_UNDECLARED, INVALID_EVENT_TYPE, INVALID_EVENT_PAYLOAD,
   *   EVENT_ID_CONFLICT, EVENT_LIMIT, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  sendEvent(...sent: SendArguments<TEvents>): Promise<void>;
  /**
   * Sends an event and waits until the workflow's code answers it (`event.reply`), for a minute unless you give `timeout`: `await
   * instance.ask({ type: "quote", payload: { item } })`. The reply is stored with the event: if you
   * ask again with the same `eventId` and the same event, you get the same answer. It waits like `result`. In workflow code,
   * call it in a step.
   *
   * @throws as `sendEvent`; EVENT_NOT_ANSWERED — the run has ended without a reply; REPLY_TIMEOUT — `details.eventId` names
   *   the event, which stays sent; EVENT_NOT_FOUND, ENGINE_CLOSED, INVALID_DURATION, UNKNOWN_OPTION, TRANSACTION_UNUSABLE
   */
  ask<T = unknown>(...asked: [...SendArguments<TEvents>, options?: AskOptions]): Promise<T>;
  /**
   * Reads the progress of the instance, entry by entry, until the instance has ended and you have read everything: `for await (const {
   * value } of instance.stream()) …`. To continue, start again after the last `sequence` that you have seen: you miss no entry that is kept, and get none twice.
   * It waits like `result`.
   *
   * @throws INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION, ENGINE_CLOSED, STORE_UNAVAILABLE, TRANSACTION_UNUSABLE; the signal's reason
   */
  stream<T = unknown>(options?: StreamOptions): AsyncIterable<StreamEntry<T>>;
}

/**
 * Arguments of `sendEvent`. As arguments and not as one type of event, they let an instance whose workflow declares events be
 * given to a function that takes any `WorkflowInstance`.
 */
export type SendArguments<TEvents extends EventSchemas> = [keyof TEvents] extends [never]
  ? [event: SendEventInput]
  : [event: SentEvent<TEvents>];

/** What `sendEvent` takes: one of the declared types with its payload, or any event if none is declared. */
export type SentEvent<TEvents extends EventSchemas> = [keyof TEvents] extends [never]
  ? SendEventInput
  : {
      [TType in keyof TEvents & string]: EventOf<
        TType,
        StandardSchemaV1.InferInput<TEvents[TType]>
      >;
    }[keyof TEvents & string];

/** An event of a declared type. The payload is optional if its schema accepts undefined. */
export type EventOf<TType extends string, TPayload> = Pick<
  SendEventInput,
  "eventId" | keyof Preconditions
> & {
  readonly type: TType;
} & (undefined extends TPayload ? { readonly payload?: TPayload } : { readonly payload: TPayload });

/** Options of `create`: id, params, when to start, and what to do if the id is taken. */
export interface WorkflowInstanceCreateOptions<TParams = unknown> extends StartInput, RunOptions {
  /** 1–100 letters, digits, `_`, `-`; unique within the workflow. @default 21 random letters and digits */
  readonly id?: string;
  /** The workflow's input: `event.payload` in its code. */
  readonly params?: TParams;
  /** What to do if the id is taken: throw INSTANCE_ID_ALREADY_EXISTS, or return the instance that has it. @default "error" */
  readonly onExisting?: "error" | "return";
  /**
   * A second call with the same key and the same params returns the same instance. Without an id, the id is made from the key. 1–255
   * printable ASCII characters. @default none
   */
  readonly idempotencyKey?: string;
}

/** The same with an id, for `createBatch`. */
export interface WorkflowInstanceCreateOptionsWithId<
  TParams = unknown,
> extends WorkflowInstanceCreateOptions<TParams> {
  readonly id: string;
}

/** Options of `create` for a workflow that needs params. */
export interface WorkflowInstanceCreateOptionsWithParams<
  TParams,
> extends WorkflowInstanceCreateOptions<TParams> {
  readonly params: TParams;
}

/** Arguments of `create`. There may be none if the params may be undefined. */
export type CreateArguments<TParams> = undefined extends TParams
  ? [options?: WorkflowInstanceCreateOptions<TParams>]
  : [options: WorkflowInstanceCreateOptionsWithParams<TParams>];

/** Arguments of `execute`: those of `create`, and how long to wait. */
export type ExecuteArguments<TParams> = undefined extends TParams
  ? [options?: WorkflowInstanceCreateOptions<TParams> & ResultOptions]
  : [options: WorkflowInstanceCreateOptionsWithParams<TParams> & ResultOptions];

/** One instance of a batch. */
export type BatchItem<TParams> = StartInput &
  RunOptions & { readonly id: string } & (undefined extends TParams
    ? { readonly params?: TParams }
    : { readonly params: TParams });

/** What `restartOrCreate` takes. */
export type RestartOrCreateOptions<TParams> = Omit<RestartOrCreateInput, "params"> &
  (undefined extends TParams ? { readonly params?: TParams } : { readonly params: TParams });

/** What `restartOrCreate` did, and the instance. */
export interface RestartedOrCreated<
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> extends Pick<RestartOrCreateOutput, "outcome"> {
  readonly instance: WorkflowInstance<TOutput, TEvents>;
}

/** A registered workflow. `TParams` is what its schema takes. */
export interface Workflow<
  TParams = unknown,
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> {
  /**
   * Creates an instance, which is due at once or when `startAt` or `delay` say: `await engine.workflows.ORDER.create({ id: "order-17",
   * params: { cents: 500 } })`. It returns when the instance is stored, and does not wait for it to run: see `result`.
   *
   * @throws INSTANCE_ID_ALREADY_EXISTS, INVALID_INSTANCE_ID, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   INVALID_DURATION, INVALID_REQUEST, UNKNOWN_OPTION
   */
  create(...create: CreateArguments<TParams>): Promise<WorkflowInstance<TOutput, TEvents>>;
  /**
   * Creates an instance and returns its result: `await engine.workflows.ORDER.execute({ params: { cents: 500 }, timeout: "10 seconds" })`.
   * It waits for a minute unless you give `timeout`. Wrong options are refused before anything is created. After RESULT_TIMEOUT
   * the instance continues; `details.instanceId` has its id. With an id and `onExisting: "return"`, or with an idempotency
   * key, a second call waits for the same instance.
   *
   * @throws as create, and as `WorkflowInstance.result`
   */
  execute(...execute: ExecuteArguments<TParams>): Promise<TOutput>;
  /**
   * Creates at most 100 instances (`limits.maxBatchSize`), all or none: `await engine.workflows.ORDER.createBatch([{ id: "a" }, { id: "b"
   * }])`. Ids that exist are skipped, and are not in the result.
   *
   * @throws as create, and BATCH_TOO_LARGE
   */
  createBatch(
    batch: readonly BatchItem<TParams>[],
    options?: CreateBatchOptions,
  ): Promise<WorkflowInstance<TOutput, TEvents>[]>;
  /**
   * Creates the instance, or restarts the one with this id with these params, in one trip. Earlier runs are kept. If several
   * calls come at the same time, one of them creates. `ifRunNumber` and `ifStatus` say what may be restarted.
   *
   * @throws as create, except INSTANCE_ID_ALREADY_EXISTS
   */
  restartOrCreate(
    options: RestartOrCreateOptions<TParams>,
  ): Promise<RestartedOrCreated<TOutput, TEvents>>;
  /** Gets the instance with this id: `await engine.workflows.ORDER.get("order-17")`. One trip. @throws INSTANCE_NOT_FOUND */
  get(id: string): Promise<WorkflowInstance<TOutput, TEvents>>;
}

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
  RestartOptions,
  RestartOrCreateInput,
  RestartOrCreateOutput,
  RewindOptions,
  UpdateOptions,
} from "../ports/command-options.ts";
import type { CreateBatchOptions, RunOptions, StartInput } from "../ports/create-inputs.ts";
import type { StreamEntry, StreamOptions } from "./progress.ts";
import type { EventSchemas, NoEvents } from "./events.ts";

/** How `result` waits. */
export interface ResultOptions {
  /** Milliseconds or a duration string. @default "1 minute" */
  readonly timeout?: WorkflowDuration;
}

/** How `ask` waits. */
export interface AskOptions {
  /** Milliseconds or a duration string. @default "1 minute" */
  readonly timeout?: WorkflowDuration;
}

/** One instance. `TOutput` is what its workflow returns, `TEvents` the event types that it declares. */
export interface WorkflowInstance<TOutput = unknown, TEvents extends EventSchemas = NoEvents> {
  readonly id: string;
  /** @throws INSTANCE_NOT_FOUND */
  status(): Promise<InstanceStatus<TOutput>>;
  /** All that is known of it: params, times, next wake, current steps and what each waits for. @throws INSTANCE_NOT_FOUND */
  describe(): Promise<InstanceDescription>;
  /**
   * Why it is not moving: as data, by its cause, and as a sentence that says what to do next. One trip, and no payloads.
   *
   * @throws INSTANCE_NOT_FOUND
   */
  explain(): Promise<Explanation>;
  /**
   * Waits until the instance has ended, and gives what its workflow returned. What this process runs is seen at once
   * when it ends; else it asks the database, at first often, in the end once a second. A restart while it waits goes on with the new run. In
   * workflow code it belongs into a step, whose timeout is to be the longer one.
   *
   * @throws the error of an instance that failed, with its name, message, code and cause; INSTANCE_TERMINATED,
   *   RESULT_TIMEOUT, INSTANCE_NOT_FOUND, INVALID_DURATION, STORE_UNAVAILABLE
   */
  result(options?: ResultOptions): Promise<TOutput>;
  /** @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  pause(options?: ControlOptions): Promise<void>;
  /** Also takes back a pause that was not yet carried out. @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH */
  resume(options?: ControlOptions): Promise<void>;
  /**
   * Asks the run to end: each of its steps that is open, or is called from then on, throws a CancelledError, at once where
   * the run waits, else once the process that has it hears of it. Its code may clean up in `finally`, by steps of
   * `step.shielded`; then the instance is `terminated`, unless its code had come to its end before. Asked again, it changes nothing.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH
   */
  cancel(options?: ControlOptions): Promise<void>;
  /** Ends it at once; with `rollback`, when what it has done is undone. @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, RUN_NUMBER_MISMATCH */
  terminate(options?: TerminateOptions): Promise<void>;
  /**
   * Starts a new run under the same id; earlier runs are kept. Its steps have the idempotency keys of the run before, so that
   * services do not do again what they have done, unless `newKeys` is said.
   *
   * @throws INSTANCE_NOT_FOUND, RUN_NUMBER_MISMATCH
   */
  restart(options?: RestartOptions): Promise<void>;
  /**
   * Lets a run that failed go on, from the steps that failed it: they get fresh attempts under the same idempotency keys,
   * and no step that completed runs again. Errors that the workflow's code caught before that stay as they are. Where no
   * step failed the run, its code runs again over its history.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_NOT_ERRORED, RUN_NUMBER_MISMATCH
   */
  retry(options?: ControlOptions): Promise<void>;
  /**
   * Brings the run back to a step, named by its key in the history: that step runs again, and all that settled with it or later,
   * under new idempotency keys; what settled before stays. Open steps begin anew. Events that the steps had taken come back.
   * Whoever runs it now loses it; what is paused stays paused. History tells of it by an event.
   *
   * @throws INSTANCE_NOT_FOUND, STEP_NOT_FOUND, STEP_PASSED, RUN_UNDONE, RUN_NUMBER_MISMATCH, STATUS_MISMATCH
   */
  rewind(stepKey: string, options?: RewindOptions): Promise<void>;
  /**
   * Creates an instance that begins with a copy of this one's steps that settled before a step, and runs on from there; this
   * one is left as it is. Its idempotency keys, and what `step.uuid` and `step.random` give it, are its own.
   *
   * @throws as rewind, and INSTANCE_ID_ALREADY_EXISTS, INVALID_PARAMS, IDEMPOTENCY_KEY_CONFLICT
   */
  fork(stepKey: string, options?: ForkOptions): Promise<WorkflowInstance<TOutput, TEvents>>;
  /**
   * Changes deadline, tags or memo, whatever the instance does; a deadline only of one that has not ended. What is absent stays.
   *
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, DEADLINE_EXCEEDED — the deadline that is to be moved has passed;
   *   RUN_NUMBER_MISMATCH, STATUS_MISMATCH, INVALID_REQUEST, INVALID_DURATION, PAYLOAD_TOO_LARGE
   */
  update(options: UpdateOptions): Promise<void>;
  /**
   * Deletes the instance, which has ended, with all its runs and what they have left, and with its children and theirs. What is
   * not there is no error.
   *
   * @throws INSTANCE_NOT_ENDED — it goes on, or one of its children does, or the run that started it
   */
  delete(): Promise<void>;
  /**
   * @throws INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, EVENT_UNDECLARED, INVALID_EVENT_TYPE, INVALID_EVENT_PAYLOAD,
   *   EVENT_ID_CONFLICT, EVENT_LIMIT
   */
  sendEvent(event: SentEvent<TEvents>): Promise<void>;
  /**
   * Sends an event and waits for what the workflow's code answers it with (`event.reply`). The reply is kept with the event:
   * asked again with the same `eventId` and the same event, it is the same question, and gets the same answer. It waits as
   * `result` does, and belongs into a step in workflow code.
   *
   * @throws as `sendEvent`; EVENT_NOT_ANSWERED — the run has ended without a reply; REPLY_TIMEOUT — `details.eventId` names
   *   the event, which stays sent; EVENT_NOT_FOUND, INVALID_DURATION, UNKNOWN_OPTION, TRANSACTION_UNUSABLE
   */
  ask<T = unknown>(event: SentEvent<TEvents>, options?: AskOptions): Promise<T>;
  /**
   * What the run tells of its progress, entry by entry, until the instance has ended and all is read. Begun again after the
   * last `sequence` seen, it goes on there: nothing that is kept is lost, and nothing comes twice. It waits as `result` does.
   *
   * @throws INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION, STORE_UNAVAILABLE, TRANSACTION_UNUSABLE; the signal's reason
   */
  stream<T = unknown>(options?: StreamOptions): AsyncIterable<StreamEntry<T>>;
}

/** What `sendEvent` takes: one of the declared types with its payload, or any event where none is declared. */
export type SentEvent<TEvents extends EventSchemas> = [keyof TEvents] extends [never]
  ? SendEventInput
  : {
      [TType in keyof TEvents & string]: EventOf<
        TType,
        StandardSchemaV1.InferInput<TEvents[TType]>
      >;
    }[keyof TEvents & string];

/** An event of a declared type. The payload may be left out where its schema takes undefined. */
export type EventOf<TType extends string, TPayload> = Pick<SendEventInput, "eventId"> & {
  readonly type: TType;
} & (undefined extends TPayload ? { readonly payload?: TPayload } : { readonly payload: TPayload });

/** What `create` takes: id, params, when to start, and what to do when the id is taken. */
export interface WorkflowInstanceCreateOptions<TParams = unknown> extends StartInput, RunOptions {
  /** 1–100 letters, digits, `_`, `-`. @default a random UUID */
  readonly id?: string;
  readonly params?: TParams;
  /** What to do when the id is taken. @default "error" */
  readonly onExisting?: "error" | "return";
  /** The same key again, with the same params, is the same create; without an id, the id is made of it. @default none */
  readonly idempotencyKey?: string;
}

/** The same with an id, as `createBatch` takes them. */
export interface WorkflowInstanceCreateOptionsWithId<
  TParams = unknown,
> extends WorkflowInstanceCreateOptions<TParams> {
  readonly id: string;
}

/** Options of a create, with params where the workflow cannot do without. */
export interface WorkflowInstanceCreateOptionsWithParams<
  TParams,
> extends WorkflowInstanceCreateOptions<TParams> {
  readonly params: TParams;
}

/** What `create` takes: nothing at all will do where the params may be undefined. */
export type CreateArguments<TParams> = undefined extends TParams
  ? [options?: WorkflowInstanceCreateOptions<TParams>]
  : [options: WorkflowInstanceCreateOptionsWithParams<TParams>];

/** What `execute` takes: as `create`, and how long to wait. */
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

/** What `restartOrCreate` has done, and the instance. */
export interface RestartedOrCreated<
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> extends Pick<RestartOrCreateOutput, "outcome"> {
  readonly instance: WorkflowInstance<TOutput, TEvents>;
}

/** One registered workflow. `TParams` is what its schema takes. */
export interface Workflow<
  TParams = unknown,
  TOutput = unknown,
  TEvents extends EventSchemas = NoEvents,
> {
  /**
   * @throws INSTANCE_ID_ALREADY_EXISTS, INVALID_INSTANCE_ID, INVALID_PARAMS, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE,
   *   INVALID_DURATION, INVALID_REQUEST, UNKNOWN_OPTION
   */
  create(...create: CreateArguments<TParams>): Promise<WorkflowInstance<TOutput, TEvents>>;
  /**
   * `create`, then `result` of it. Options that are wrong are refused before anything is created; after RESULT_TIMEOUT, whose
   * `details.instanceId` names it, the instance goes on. With an id and `onExisting: "return"`, or with an idempotency key,
   * whoever calls again waits for the same instance.
   *
   * @throws as create, and as `WorkflowInstance.result`
   */
  execute(...execute: ExecuteArguments<TParams>): Promise<TOutput>;
  /** At most 100. Existing ids are skipped and not in the answer. @throws as create, and BATCH_TOO_LARGE */
  createBatch(
    batch: readonly BatchItem<TParams>[],
    options?: CreateBatchOptions,
  ): Promise<WorkflowInstance<TOutput, TEvents>[]>;
  /**
   * Creates the instance, or restarts the one that has the id with these params, in one trip; earlier runs are kept. Of calls
   * at the same time one creates. `ifRunNumber` and `ifStatus` say what may be restarted.
   *
   * @throws as create, but INSTANCE_ID_ALREADY_EXISTS
   */
  restartOrCreate(
    options: RestartOrCreateOptions<TParams>,
  ): Promise<RestartedOrCreated<TOutput, TEvents>>;
  /** @throws INSTANCE_NOT_FOUND */
  get(id: string): Promise<WorkflowInstance<TOutput, TEvents>>;
}

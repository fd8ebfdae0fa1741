/** What callbacks of steps and waits are given in a fragment: a transaction that is committed with the step's record. */
import type {
  CallbackSteps,
  DeclaredWait,
  EventData,
  EventSchemas,
  InvokeSteps,
  NoEvents,
  PayloadOf,
  ProgressSteps,
  ReceiveSteps,
  RepeatableValues,
  ScopeSteps,
  ShieldedSteps,
  TopicSteps,
  UndeclaredWait,
  UndoOptions,
  VersionedSteps,
  WaitForEventOptions,
} from "@escapement/engine/internal";
import type {
  Attempted,
  ReceivedEvent,
  StepContext,
  WorkflowStep,
  WorkflowStepConfig,
} from "@escapement/engine";
import type { MutationContext, TransactionBuilder } from "../adapter/collect-mutations.ts";

/** Gives the calls of a transaction: `() => [orders.close(id), mail.send(to)]`. */
export type ServiceCalls = Parameters<TransactionBuilder["withServiceCalls"]>[0];

/**
 * The usual context of a step, and writes that are committed in the batch of its record: both or neither, and once,
 * whatever is killed. Queued writes are dropped when the callback throws. A refusal (a unique index, a row that changed)
 * fails the attempt, as an error thrown by the callback would.
 */
export interface StepTx extends StepContext {
  /**
   * Queues writes to the tables of any fragment on the engine's database. Called when the callback has returned, in the
   * order of the calls, after the services.
   *
   * @throws {WorkflowError} STEP_TRANSACTION_CLOSED — the callback has returned already
   */
  mutate(collect: (context: MutationContext) => void): void;
  /**
   * Queues calls of services, whose writes and hooks belong to the same batch. What they read costs one more trip; then
   * rows that they checked are checked again by the batch.
   *
   * @throws {WorkflowError} STEP_TRANSACTION_CLOSED — the callback has returned already
   */
  serviceCalls(calls: ServiceCalls): void;
}

export type StepTxBody<T> = (tx: StepTx) => Promise<T> | T;

/** Undoes what a step did. @param result what the step's callback returned */
export type StepTxUndo<T> = (result: T, tx: StepTx) => unknown;

/** A step, its undo, and writes of other tables that go with its failure. */
export interface StepTxConfig<T = unknown> extends WorkflowStepConfig {
  /** As `StepOptions.undo`; its writes are committed with the record of the undo. @default nothing */
  readonly undo?: StepTxUndo<T> | (Omit<UndoOptions<T>, "run"> & { readonly run: StepTxUndo<T> });
  /**
   * Runs when the step fails for good; its writes are committed with the failure. If they are refused, or it throws, that
   * is logged and the failure recorded without them.
   *
   * @param error what the step's call rejects with
   */
  readonly onTerminalError?: (error: Error, tx: StepTx) => Promise<void> | void;
}

/** A wait, and writes of other tables that go with what ends it. */
export interface WaitTxOptions<
  TType extends string = string,
  TPayload = unknown,
> extends WaitForEventOptions<TType> {
  /**
   * Runs when an event satisfies the wait; its writes are committed with the event's consumption. Refused writes are tried
   * three times. If they are refused for good, or it throws, the wait fails with that error (so on every replay), and the
   * event stays for another wait.
   */
  readonly onConsume?: (tx: StepTx, event: EventData<TPayload>) => Promise<void> | void;
}

/** The steps of a workflow in a fragment. As `WorkflowStep`, with transactions. */
export interface TxWorkflowStep<TEvents extends EventSchemas = NoEvents>
  extends
    Pick<WorkflowStep, "sleep" | "sleepUntil">,
    ScopeSteps<TxWorkflowStep<TEvents>>,
    CallbackSteps,
    InvokeSteps,
    ReceiveSteps<TEvents>,
    TopicSteps,
    ProgressSteps,
    RepeatableValues,
    VersionedSteps,
    ShieldedSteps<TxWorkflowStep<TEvents>> {
  /** @throws {WorkflowError} STEP_FAILED, STEP_TIMEOUT, STEP_MAX_ATTEMPTS_EXCEEDED */
  do<T>(name: string, body: StepTxBody<T>): Promise<T>;
  do<T>(name: string, config: StepTxConfig<T>, body: StepTxBody<T>): Promise<T>;

  /** As `do`, but a failure is a value. It never rejects. */
  tryDo<T>(name: string, body: StepTxBody<T>): Promise<Attempted<T>>;
  tryDo<T>(name: string, config: StepTxConfig<T>, body: StepTxBody<T>): Promise<Attempted<T>>;

  /** @throws {WorkflowError} EVENT_TIMEOUT; STEP_FAILED — `onConsume` threw or was refused */
  waitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitTxOptions<TType, PayloadOf<TEvents, TType>>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>>>;
  waitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitTxOptions<string, T>>
  ): Promise<ReceivedEvent<T>>;

  /** As `waitForEvent`, but a timeout is a value: null. @throws {WorkflowError} STEP_FAILED */
  tryWaitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitTxOptions<TType, PayloadOf<TEvents, TType>>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>> | null>;
  tryWaitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitTxOptions<string, T>>
  ): Promise<ReceivedEvent<T> | null>;
}

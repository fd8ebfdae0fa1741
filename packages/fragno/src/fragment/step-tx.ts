/** The context of callbacks of steps and waits in a fragment: a transaction that is committed with the step's record. */
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
  ReceivedEvent,
  StepContext,
  WorkflowStep,
  WorkflowStepConfig,
} from "@escapement/engine";
import type { Attempted } from "@escapement/engine/types";
import type { MutationContext, TransactionBuilder } from "../adapter/collect-mutations.ts";

/** Returns the calls of a transaction: `() => [orders.close(id), mail.send(to)]`. */
export type ServiceCalls = Parameters<TransactionBuilder["withServiceCalls"]>[0];

/**
 * The context of a step, with writes that are committed in the batch of its record: both or neither, exactly once, even if
 * the process is killed. Queued writes are dropped if the callback throws. If the database refuses a write (a unique index, a
 * row that has changed), the attempt fails as if the callback had thrown.
 */
export interface StepTx extends StepContext {
  /**
   * Queues writes to the tables of any fragment on the engine's database. The function is called after the callback has
   * returned, in the order of the calls, after the services.
   *
   * @throws {WorkflowError} STEP_TRANSACTION_CLOSED — the callback has returned already
   */
  mutate(collect: (context: MutationContext) => void): void;
  /**
   * Queues calls of services, whose writes and hooks belong to the same batch. If they read, that is one more trip; the batch
   * then checks again the rows that they have checked.
   *
   * @throws {WorkflowError} STEP_TRANSACTION_CLOSED — the callback has returned already
   */
  serviceCalls(calls: ServiceCalls): void;
  /** `progress` under the name that it has in Fragno's own workflows. For messages to other runs, see `step.emit`. */
  readonly emit: StepContext["progress"];
}

export type StepTxBody<T> = (tx: StepTx) => Promise<T> | T;

/** Undoes what a step did. @param result what the step's callback returned */
export type StepTxUndo<T> = (result: T, tx: StepTx) => unknown;

/** Options of a step with an undo, and with writes to other tables that are committed with its failure. */
export interface StepTxConfig<T = unknown> extends WorkflowStepConfig {
  /** Like `StepOptions.undo`. Its writes are committed with the record of the undo. @default nothing */
  readonly undo?: StepTxUndo<T> | (Omit<UndoOptions<T>, "run"> & { readonly run: StepTxUndo<T> });
  /**
   * Called when the step fails for good. Its writes are committed with the failure. If they are refused, or it throws, that
   * is logged, and the failure is recorded without them.
   *
   * @param error what the step's call rejects with
   */
  readonly onTerminalError?: (error: Error, tx: StepTx) => Promise<void> | void;
}

/** Options of a wait, with writes to other tables that are committed with the event that ends it. */
export interface WaitTxOptions<
  TType extends string = string,
  TPayload = unknown,
> extends WaitForEventOptions<TType> {
  /**
   * Called when an event satisfies the wait. Its writes are committed with the consumption of the event. Refused writes are
   * tried three times. If they are refused for good, or it throws, the wait fails with that error, also on every replay, and
   * the event stays for another wait.
   */
  readonly onConsume?: (tx: StepTx, event: EventData<TPayload>) => Promise<void> | void;
}

/** The steps of a workflow in a fragment: like `WorkflowStep`, with transactions. */
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

  /** Like `do`, but returns a failure as a value. It never rejects. */
  tryDo<T>(name: string, body: StepTxBody<T>): Promise<Attempted<T>>;
  tryDo<T>(name: string, config: StepTxConfig<T>, body: StepTxBody<T>): Promise<Attempted<T>>;

  /** @throws {WorkflowError} EVENT_TIMEOUT; STEP_FAILED — `onConsume` threw or was refused */
  waitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitTxOptions<TType, PayloadOf<TEvents, TType>>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>>>;
  waitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitTxOptions<string, T>>
  ): Promise<ReceivedEvent<T>>;

  /** Like `waitForEvent`, but returns null at the timeout. @throws {WorkflowError} STEP_FAILED */
  tryWaitForEvent<TType extends keyof TEvents & string>(
    ...wait: DeclaredWait<TEvents, WaitTxOptions<TType, PayloadOf<TEvents, TType>>>
  ): Promise<ReceivedEvent<PayloadOf<TEvents, TType>> | null>;
  tryWaitForEvent<T = unknown>(
    ...wait: UndeclaredWait<TEvents, WaitTxOptions<string, T>>
  ): Promise<ReceivedEvent<T> | null>;
}

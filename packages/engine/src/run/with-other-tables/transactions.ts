/**
 * The writes of one session to other tables: collected while callbacks run, then committed with the record of their step. Only
 * after that is the call told its outcome.
 */
import type { RegisteredWorkflow } from "../../authoring/registry.ts";
import type { EventData } from "../../authoring/events.ts";
import type { StepContext } from "../../authoring/step-options.ts";
import { decodeJson } from "../../core/codec.ts";
import type { OtherTableWrites, StepWrite } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { BeginStepTransaction, StepWrites } from "../../ports/step-transaction.ts";
import type { DoBody } from "../body.ts";
import type { Committed, RefusedBoundary } from "../boundary-result.ts";
import { toErrorFields } from "../log-errors.ts";
import { recordError, toStepError } from "../step-error.ts";
import type { SessionTransactions, Settling, TransactionSession } from "../other-table-writes.ts";
import { toEventData } from "../event-data.ts";
import { CommitWithStep } from "./commit-with-step.ts";
import { runCallback } from "./run-callback.ts";

/** How often a wait's `onConsume` runs when its writes are refused. */
const MAX_CONSUME_TRIES = 3;

interface Outcome {
  /** The writes were refused. */
  readonly onRefused: (error: unknown) => void;
  /** The callback threw. */
  readonly onThrown: (error: unknown) => void;
}

/** The additional options of a step or wait. */
interface TransactionOptions {
  readonly onTerminalError?: OnTerminalError;
  readonly onConsume?: OnConsume;
}

/** Called with the error that the step's call is about to reject with, and a step's context with a transaction. */
type OnTerminalError = (error: Error, tx: never) => unknown;
/** Called with a step's context with a transaction, and the event. */
type OnConsume = (tx: never, event: EventData<unknown>) => unknown;

export class Transactions implements SessionTransactions {
  readonly #session: TransactionSession;
  readonly #begin: BeginStepTransaction;
  readonly #commit: CommitWithStep;
  /** Writes of bodies that have returned, by attempt. */
  readonly #writes = new Map<string, StepWrites>();
  /** Callbacks that have not run yet, by step key. */
  readonly #callbacks = new Map<string, TransactionOptions>();
  /** Events that callbacks of waits are about to consume, by step key. */
  readonly #consuming = new Map<string, EventRecord>();
  #timeoutMs = 0;

  constructor(session: TransactionSession, begin: BeginStepTransaction) {
    this.#session = session;
    this.#begin = begin;
    this.#commit = new CommitWithStep(session);
  }

  expect({ stepConfig }: RegisteredWorkflow, stepKey: string, options: TransactionOptions): void {
    this.#timeoutMs = stepConfig.timeoutMs;
    this.#callbacks.set(stepKey, options);
  }

  toBody(body: DoBody): DoBody {
    return (context) => this.#collectBody(context, body);
  }

  take(settling: Settling): boolean {
    const { step, event } = settling;
    const callbacks = this.#callbacks.get(step.stepKey);
    this.#callbacks.delete(step.stepKey);
    this.#consuming.delete(step.stepKey);
    if (step.status === "errored") return this.#takeErrored(settling, callbacks?.onTerminalError);
    if (event !== undefined) return this.#takeConsuming(settling, event, callbacks?.onConsume);
    const key = toAttemptKey(step.stepKey, step.attempts + step.lostAttempts);
    const writes = this.#writes.get(key);
    if (writes === undefined) return false;
    this.#writes.delete(key);
    // If the writes are refused, the attempt may fail, and the callbacks are needed again.
    if (callbacks !== undefined) this.#callbacks.set(step.stepKey, callbacks);
    this.#commit.add({ settling, writes, onRefused: (error) => settling.fail?.(error) });
    return true;
  }

  drop(stepKey: string): boolean {
    if (!this.#commit.drop(stepKey)) return false;
    this.#callbacks.delete(stepKey);
    const event = this.#consuming.get(stepKey);
    this.#consuming.delete(stepKey);
    if (event !== undefined) this.#session.pending.others?.releaseEvent(event.id);
    return true;
  }

  get isWaiting(): boolean {
    return this.#commit.isWaiting;
  }

  begin(): readonly OtherTableWrites[] {
    const writes = this.#commit.begin();
    for (const { stepKey } of writes) this.#consuming.delete(stepKey);
    return writes;
  }

  finish(result: Committed | RefusedBoundary): void {
    this.#commit.finish(result);
  }

  async #collectBody(context: StepContext, body: DoBody): Promise<unknown> {
    const { value, writes } = await this.#collect(context, body);
    if (writes !== null) this.#writes.set(toAttemptKey(context.stepKey, context.attempt), writes);
    return value;
  }

  async #collect(
    context: StepContext,
    body: DoBody,
  ): Promise<{ readonly value: unknown; readonly writes: StepWrites | null }> {
    const transaction = this.#begin(context);
    const value = await body(Object.assign(context, transaction.members));
    return { value, writes: await transaction.prepare() };
  }

  /** The writes of `onTerminalError` are committed with the error. If they are refused, the error is recorded without them. */
  #takeErrored(settling: Settling, callback: OnTerminalError | undefined): boolean {
    const { step } = settling;
    if (callback === undefined) return false;
    const settleWithout = (error: unknown): void => {
      const record = recordError(error, this.#session.context.redactError);
      const fields = { stepKey: step.stepKey, ...toErrorFields(record) };
      this.#session.warn("step.on_terminal_error_failed", fields);
      this.#session.settle(settling);
    };
    const run: DoBody = (tx) => callback(toStepError(step), tx as never);
    const ends = { onRefused: settleWithout, onThrown: settleWithout };
    this.#runCallback(settling, { run, attempt: step.attempts }, ends);
    return true;
  }

  /** An event is consumed with the writes of `onConsume`, or not at all. */
  #takeConsuming(settling: Settling, event: EventRecord, callback: OnConsume | undefined): boolean {
    if (callback === undefined) return false;
    const { result } = settling.step;
    // Meanwhile, other waits cannot take it.
    this.#session.pending.others?.takeEvent(event.id);
    const run: DoBody = (tx) => callback(tx as never, toEventData(decodeJson(result)));
    this.#consume(settling, run, 1);
    return true;
  }

  #consume(settling: Settling, run: DoBody, attempt: number): void {
    if (settling.event !== undefined) this.#consuming.set(settling.step.stepKey, settling.event);
    const onThrown = (error: unknown): void => this.#failWait(settling, error);
    const again = (): void => this.#consume(settling, run, attempt + 1);
    const onRefused = attempt < MAX_CONSUME_TRIES ? again : onThrown;
    this.#runCallback(settling, { run, attempt }, { onRefused, onThrown });
  }

  /** The failure is the wait's outcome on every replay; the event is left for another wait. */
  #failWait({ call, step, event }: Settling, error: unknown): void {
    if (event !== undefined) this.#session.pending.others?.releaseEvent(event.id);
    const failed: StepWrite = {
      ...step,
      status: "errored",
      result: null,
      error: recordError(error, this.#session.context.redactError),
    };
    this.#session.settle({ call, step: failed });
  }

  #runCallback(
    settling: Settling,
    { run, attempt }: { readonly run: DoBody; readonly attempt: number },
    { onRefused, onThrown }: Outcome,
  ): void {
    const collect: DoBody = async (context) => (await this.#collect(context, run)).writes;
    const callback = { step: settling.step, attempt, timeoutMs: this.#timeoutMs, run: collect };
    runCallback(this.#session, callback, (end) => {
      if (end.kind === "threw") return onThrown(end.error);
      const writes = end.value as StepWrites | null;
      if (writes === null) this.#session.settle(settling);
      else this.#commit.add({ settling, writes, onRefused });
    });
  }
}

const toAttemptKey = (stepKey: string, attempt: number): string => `${attempt}/${stepKey}`;

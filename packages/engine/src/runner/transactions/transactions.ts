/**
 * The foreign writes of one session: collected while callbacks run, then committed with the record of their step. A call
 * is told of its step only after that.
 */
import type { RegisteredWorkflow } from "../../authoring/registry.ts";
import type { StepContext, WorkflowStep } from "../../authoring/step.ts";
import { decodeJson, toErrorRecord } from "../../core/codec.ts";
import type { ForeignWrite, StepWrite } from "../../core/model/change.ts";
import type { EventRecord } from "../../core/model/records.ts";
import type { BeginStepTransaction, StepWrites } from "../../ports/step-transaction.ts";
import type { DoBody } from "../do-step.ts";
import type { Committed, RefusedBoundary } from "../ledger.ts";
import type { Session } from "../session.ts";
import { toStepError } from "../step-error.ts";
import type { SessionTransactions, Settling } from "../step-transactions.ts";
import { toReceivedEvent } from "../wait-step.ts";
import { Boarding } from "./boarding.ts";
import { runCallback } from "./run-callback.ts";
import { type OnConsume, type OnTerminalError, wrapSteps } from "./wrap-steps.ts";

/** How often a wait's `onConsume` runs when its writes are refused. */
const MAX_CONSUME_TRIES = 3;

interface Outcome {
  /** The writes were refused. */
  readonly onRefused: (error: unknown) => void;
  /** The callback threw. */
  readonly onThrown: (error: unknown) => void;
}

export class Transactions implements SessionTransactions {
  readonly #session: Session;
  readonly #begin: BeginStepTransaction;
  readonly #boarding: Boarding;
  /** Writes of bodies that have returned, by attempt. */
  readonly #writes = new Map<string, StepWrites>();
  /** Callbacks that have not had their turn, by step key. */
  readonly #onTerminalError = new Map<string, OnTerminalError>();
  readonly #onConsume = new Map<string, OnConsume>();
  #timeoutMs = 0;

  constructor(session: Session, begin: BeginStepTransaction) {
    this.#session = session;
    this.#begin = begin;
    this.#boarding = new Boarding(session);
  }

  wrap(steps: WorkflowStep, { stepConfig }: RegisteredWorkflow): WorkflowStep {
    this.#timeoutMs = stepConfig.timeoutMs;
    return wrapSteps(steps, {
      toBody: (body) => (context) => this.#collectBody(context, body),
      onTerminalError: (stepKey, callback) => void this.#onTerminalError.set(stepKey, callback),
      onConsume: (stepKey, callback) => void this.#onConsume.set(stepKey, callback),
    });
  }

  take(settling: Settling): boolean {
    const { step, event } = settling;
    if (step.status === "errored") return this.#takeErrored(settling);
    if (event !== undefined) return this.#takeConsuming(settling, event);
    const key = toAttemptKey(step.stepKey, step.attempts);
    const writes = this.#writes.get(key);
    if (writes === undefined) return false;
    this.#writes.delete(key);
    this.#boarding.add({ settling, writes, onRefused: (error) => settling.fail?.(error) });
    return true;
  }

  get isWaiting(): boolean {
    return this.#boarding.isWaiting;
  }

  board(): readonly ForeignWrite[] {
    return this.#boarding.board();
  }

  land(result: Committed | RefusedBoundary): void {
    this.#boarding.land(result);
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
    const transaction = this.#begin();
    const value = await body(Object.assign(context, transaction.members));
    return { value, writes: await transaction.prepare() };
  }

  /** The writes of `onTerminalError` are committed with the error; the error is recorded without them if need be. */
  #takeErrored(settling: Settling): boolean {
    const { step } = settling;
    const callback = this.#onTerminalError.get(step.stepKey);
    if (callback === undefined) return false;
    this.#onTerminalError.delete(step.stepKey);
    const settleWithout = (error: unknown): void => {
      const fields = { stepKey: step.stepKey, error: String(error) };
      this.#session.warn("step.on_terminal_error_failed", fields);
      this.#session.settle(settling);
    };
    const run: DoBody = (tx) => callback(toStepError(step), tx as never);
    const ends = { onRefused: settleWithout, onThrown: settleWithout };
    this.#runCallback(settling, { run, attempt: step.attempts }, ends);
    return true;
  }

  /** An event is consumed with the writes of `onConsume`, or not at all. */
  #takeConsuming(settling: Settling, event: EventRecord): boolean {
    const { stepKey, result } = settling.step;
    const callback = this.#onConsume.get(stepKey);
    if (callback === undefined) return false;
    this.#onConsume.delete(stepKey);
    const { ledger } = this.#session;
    // Meanwhile it is not there for other waits.
    ledger.events = ledger.events.filter(({ id }) => id !== event.id);
    const run: DoBody = (tx) => callback(tx as never, toReceivedEvent(decodeJson(result)));
    // A commit before replay is over would hide which bodies were in flight.
    this.#session.takeover.begin(() => this.#consume(settling, run, 1));
    return true;
  }

  #consume(settling: Settling, run: DoBody, attempt: number): void {
    const onThrown = (error: unknown): void => this.#failWait(settling, error);
    const again = (): void => this.#consume(settling, run, attempt + 1);
    const onRefused = attempt < MAX_CONSUME_TRIES ? again : onThrown;
    this.#runCallback(settling, { run, attempt }, { onRefused, onThrown });
  }

  /** The failure is the wait's outcome on every replay; the event is left for another wait. */
  #failWait({ call, step, event }: Settling, error: unknown): void {
    const { ledger } = this.#session;
    if (event !== undefined)
      ledger.events = [...ledger.events, event].toSorted((a, b) => a.sequence - b.sequence);
    const failed: StepWrite = {
      ...step,
      status: "errored",
      result: null,
      error: toErrorRecord(error),
    };
    this.#session.settle({ call, step: failed });
    for (const wait of this.#session.waits.values()) wait.redecide();
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
      else this.#boarding.add({ settling, writes, onRefused });
    });
  }
}

const toAttemptKey = (stepKey: string, attempt: number): string => `${attempt}/${stepKey}`;

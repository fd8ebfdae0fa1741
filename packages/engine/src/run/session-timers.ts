/** The timers of a session: heartbeat of the lease, the next wait that time ends, patience with what is awaited outside of steps. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs, RunRef } from "../core/model/records.ts";
import type { RunContext } from "./context.ts";

/** How long progress may wait to be seen while a body runs. */
const FLUSH_MS: DurationMs = 200;

const nothing = (): void => {};

export class SessionTimers {
  readonly #context: RunContext;
  #stopHeartbeat: () => void = nothing;
  #stopWait: () => void = nothing;
  #stopFlush: () => void = nothing;
  #stopAwaitOutsideStep: () => void = nothing;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /** Calls back at every third of the lease. */
  startHeartbeat(beat: () => void): void {
    const { host, leaseMs } = this.#context;
    this.#stopHeartbeat = host.setTimer(leaseMs / 3, () => {
      this.startHeartbeat(beat);
      beat();
    });
  }

  /** Calls back once after `delayMs`; Infinity: never. Replaces the call asked for before. */
  startWait(delayMs: DurationMs, callback: () => void): void {
    this.#stopWait();
    if (delayMs === Infinity) return;
    this.#stopWait = this.#context.host.setTimer(Math.max(1, delayMs), callback);
  }

  /** Calls back once, `FLUSH_MS` after the first of the calls since the last one, or since it was stopped. */
  startFlush(callback: () => void): void {
    if (this.#stopFlush !== nothing) return;
    this.#stopFlush = this.#context.host.setTimer(FLUSH_MS, () => {
      this.#stopFlush = nothing;
      callback();
    });
  }

  stopFlush(): void {
    this.#stopFlush();
    this.#stopFlush = nothing;
  }

  /** Warns once, and fails the run unless author code calls something in time. */
  awaitOutsideStep(run: RunRef, session: Complaints): void {
    if (this.#stopAwaitOutsideStep !== nothing) return;
    const { host, limits } = this.#context;
    const error = outsideStepError(run);
    session.warn("workflow.await_outside_step", { code: error.code, message: error.message });
    const { maxAwaitOutsideStepMs } = limits;
    this.#stopAwaitOutsideStep = host.setTimer(maxAwaitOutsideStepMs, () => session.fail(error));
  }

  stopAwaitOutsideStep(): void {
    this.#stopAwaitOutsideStep();
    this.#stopAwaitOutsideStep = nothing;
  }

  stopAll(): void {
    this.#stopHeartbeat();
    this.#stopWait();
    this.#stopFlush();
    this.#stopAwaitOutsideStep();
  }
}

/** Where a session says what is wrong. */
interface Complaints {
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
  fail(error: unknown): void;
}

/** The error of a run that waits for something which no step stands for. */
const outsideStepError = (run: RunRef): WorkflowError =>
  new WorkflowError(
    "AWAIT_OUTSIDE_STEP",
    "the workflow awaits something that is not a step; put it into step.do",
    { ...run },
  );

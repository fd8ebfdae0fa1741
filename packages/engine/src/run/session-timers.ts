/** The timers of a session: heartbeat of the lease, the next wait that time ends, patience with what is awaited outside of steps. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs, RunRef } from "../core/model/records.ts";
import type { RunContext } from "./context.ts";

const nothing = (): void => {};

export class SessionTimers {
  readonly #context: RunContext;
  #stopHeartbeat: () => void = nothing;
  #stopWait: () => void = nothing;
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
  startWait(delayMs: DurationMs, callback: () => Promise<void>): void {
    this.#stopWait();
    if (delayMs === Infinity) return;
    this.#stopWait = this.#context.host.setTimer(Math.max(1, delayMs), () => void callback());
  }

  startAwaitOutsideStep(delayMs: DurationMs, callback: () => void): void {
    this.#stopAwaitOutsideStep = this.#context.host.setTimer(delayMs, callback);
  }

  get isAwaitingOutsideStep(): boolean {
    return this.#stopAwaitOutsideStep !== nothing;
  }

  stopAwaitOutsideStep(): void {
    this.#stopAwaitOutsideStep();
    this.#stopAwaitOutsideStep = nothing;
  }

  stopAll(): void {
    this.#stopHeartbeat();
    this.#stopWait();
    this.#stopAwaitOutsideStep();
  }
}

/** The error of a run that waits for something which no step stands for. */
export const outsideStepError = (run: RunRef): WorkflowError =>
  new WorkflowError(
    "AWAIT_OUTSIDE_STEP",
    "the workflow awaits something that is not a step; put it into step.do",
    { ...run },
  );

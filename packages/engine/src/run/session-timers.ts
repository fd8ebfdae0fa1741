/** The timers of a session: the heartbeat of the lease, the next wait that ends by time, and the limit for awaits outside of steps. */
import type { DurationMs } from "../core/model/records.ts";
import type { RunContext } from "./context.ts";
import { otherOutcomes } from "./late-code.ts";
import type { Session } from "./session-interface.ts";

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

  /** Calls back once after `delayMs`; Infinity: never. Replaces an earlier request. */
  startWait(delayMs: DurationMs, callback: () => void): void {
    this.#stopWait();
    if (delayMs === Infinity) return;
    this.#stopWait = this.#context.host.setTimer(Math.max(1, delayMs), callback);
  }

  /** Warns once, and fails the run unless author code calls a step in time. */
  awaitOutsideStep(session: Session): void {
    if (this.#stopAwaitOutsideStep !== nothing) return;
    const code = session.code.now(otherOutcomes);
    if (code === null) return;
    const { host, limits } = this.#context;
    const error = code.warnOutsideStep(session);
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
    this.#stopAwaitOutsideStep();
  }
}

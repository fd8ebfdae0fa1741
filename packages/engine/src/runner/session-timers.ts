/** The timers of a session: heartbeat of the lease, the next wait that time ends, patience with foreign awaits. */
import type { DurationMs } from "../core/model/records.ts";
import type { RunnerContext } from "./context.ts";

const nothing = (): void => {};

export class SessionTimers {
  readonly #context: RunnerContext;
  #stopHeartbeat: () => void = nothing;
  #stopWait: () => void = nothing;
  #stopForeignAwait: () => void = nothing;

  constructor(context: RunnerContext) {
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

  startForeignAwait(delayMs: DurationMs, callback: () => void): void {
    this.#stopForeignAwait = this.#context.host.setTimer(delayMs, callback);
  }

  get isAwaitingForeign(): boolean {
    return this.#stopForeignAwait !== nothing;
  }

  stopForeignAwait(): void {
    this.#stopForeignAwait();
    this.#stopForeignAwait = nothing;
  }

  stopAll(): void {
    this.#stopHeartbeat();
    this.#stopWait();
    this.#stopForeignAwait();
  }
}

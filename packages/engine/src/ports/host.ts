/** What the engine asks of the process around it. Decides nothing durable: database time does that. */
export interface Host {
  /** The process's clock in epoch milliseconds. It may jump: only deadlines that are given as instants are read by it. */
  now(): number;
  /** Milliseconds by a clock that never jumps, from any zero: every length of time is measured by it. */
  elapsedMs(): number;
  /** Calls back once after `delayMs`; returns a function that cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
  /**
   * Calls back once everything that is ready to run in this turn of the event loop, microtasks of any depth, has run.
   */
  afterTurn(callback: () => void): void;
  /** A new unique row id, ≤ 30 characters and as long as others, rising within one process. */
  newId(): string;
  /** Chance in [0, 1). */
  random(): number;
}

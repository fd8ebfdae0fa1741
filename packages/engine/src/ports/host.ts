/** What the engine needs from the process around it. Nothing durable depends on it: the database's time decides that. */
export interface Host {
  /** The process's clock in epoch milliseconds. It may jump, so it is used only for deadlines that are given as instants. */
  now(): number;
  /** Milliseconds by a clock that never jumps, from any starting point. All durations are measured with it. */
  elapsedMs(): number;
  /** Calls back once after `delayMs`; returns a function that cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
  /**
   * Calls back once everything that is ready in this turn of the event loop has run, with all its microtasks.
   */
  afterTurn(callback: () => void): void;
  /** A new unique row id, ≤ 30 characters and as long as others, rising within one process. */
  newId(): string;
  /** A random number in [0, 1). */
  random(): number;
}

/** What the runner asks of the process around it. Decides nothing durable: database time does that. */
export interface Host {
  /** Process clock in epoch milliseconds, for time budgets only. */
  now(): number;
  /** Calls back once after `delayMs`; returns a function that cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
  /** Resolves when the microtask queue has been drained. */
  turn(): Promise<void>;
  /** A new unique row id, ≤ 30 characters, rising within one process. */
  newId(): string;
  /** Chance in [0, 1). */
  random(): number;
}

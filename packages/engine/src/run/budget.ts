/** What one tick may still do: time left in the invocation, instances and steps. */
import type { Host } from "../ports/host.ts";

export interface BudgetOptions {
  /** Process-clock instant at which the invocation is killed; null: none. */
  readonly deadline: number | null;
  readonly maxSteps: number;
  /** How long a body is expected to take when nothing better is known, in milliseconds. */
  readonly expectedStepMs: number;
  /** Aborted: no time is left for anything that has not begun. */
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  readonly stepsStarted: number;
  /** Whether there is time to claim and start anything. */
  hasTime(): boolean;
  /**
   * Asks to start a body that may take `timeoutMs`. The first body of a tick is allowed while any time is left: handing
   * over without progress would never end (research note schedulers.md, rule R4).
   */
  tryStartStep(timeoutMs: number): boolean;
  /** Milliseconds until work must stop; Infinity without a deadline. */
  remainingMs(): number;
  /** Calls back when work must stop; returns a function that cancels. */
  onExpiry(callback: () => void): () => void;
}

/** Kept free at the end for the last commit: the larger of 2 s and a tenth, but never more than half of what there is. */
const marginMs = (availableMs: number): number =>
  Math.min(Math.max(2000, availableMs / 10), availableMs / 2);

export function createBudget(host: Host, options: BudgetOptions): Budget {
  // The process's clock is read once; from here on it may jump.
  const availableMs = Math.max(0, (options.deadline ?? Infinity) - host.now());
  const stopAtMs =
    options.deadline === null ? Infinity : host.elapsedMs() + availableMs - marginMs(availableMs);
  let stepsStarted = 0;
  const remainingMs = (): number => (options.signal?.aborted ? 0 : stopAtMs - host.elapsedMs());
  return {
    get stepsStarted(): number {
      return stepsStarted;
    },
    hasTime: () => stepsStarted < options.maxSteps && remainingMs() > 0,
    tryStartStep: (timeoutMs) => {
      const expectedMs = Math.min(timeoutMs, options.expectedStepMs);
      const neededMs = stepsStarted === 0 ? 0 : expectedMs;
      const fits = stepsStarted < options.maxSteps && remainingMs() > neededMs;
      if (fits) stepsStarted += 1;
      return fits;
    },
    remainingMs,
    onExpiry: (callback) =>
      stopAtMs === Infinity ? (): void => {} : host.setTimer(Math.max(0, remainingMs()), callback),
  };
}

/** Spent: nothing may begin. */
export const SPENT_BUDGET: Budget = {
  stepsStarted: 0,
  hasTime: () => false,
  tryStartStep: () => false,
  remainingMs: () => 0,
  onExpiry: () => () => {},
};

/** No bounds: for loops that live as long as their process. */
export const unboundedBudget = (host: Host): Budget =>
  createBudget(host, { deadline: null, maxSteps: Infinity, expectedStepMs: 0 });

/** What one tick may still do: time and trips left in the invocation, and steps. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

export interface BudgetOptions {
  /** Process-clock instant at which the invocation is killed; null: none. */
  readonly deadline: number | null;
  readonly maxSteps: number;
  /** How long a body is expected to take when nothing better is known, in milliseconds. */
  readonly expectedStepMs: number;
  /** Trips to the database that the invocation may still make. @default no end of them */
  readonly tripsLeft?: (() => number) | undefined;
  /** Runs that this process has in hand, for each of which trips are kept. @default 0 */
  readonly runsInHand?: () => number;
  /** Aborted: no time is left for anything that has not begun. */
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  readonly stepsStarted: number;
  /** Whether there are time and trips to start anything. */
  hasTime(): boolean;
  /** How many runs there are trips for beside those in hand; 0 or less: none. */
  runsToClaim(): number;
  /**
   * Length of a lease that is renewed: `leaseMs`. As trips run short it is twice the last one, so that a process that dies is
   * missed about as late as it has worked; when they run out, as long as work may go on, so that it is the last.
   */
  toLeaseMs(leaseMs: DurationMs, lastMs: DurationMs): DurationMs;
  /**
   * Asks to start a body that may take `timeoutMs`. The first body of a tick is allowed while any time is left: handing
   * over without progress would never end (research note schedulers.md, rule R4).
   */
  tryStartStep(timeoutMs: number): boolean;
  /** A body has taken so long: the next ones are expected to take as long, or as their timeout allows. */
  noteBody(tookMs: number): void;
  /** Milliseconds until work must stop; Infinity without a deadline. */
  remainingMs(): number;
  /** Calls back when work must stop; returns a function that cancels. */
  onExpiry(callback: () => void): () => void;
}

/** Kept free at the end for the last commit: the larger of 2 s and a tenth, but never more than half of what there is. */
const marginMs = (availableMs: number): number =>
  Math.min(Math.max(2000, availableMs / 10), availableMs / 2);

/** Kept free at the end of an invocation's trips, for batches that the database has tried again. */
const SPARE_TRIPS = 4;
/** Kept for each run in hand: the commit that is under way, the last renewal of its lease, its last commit. */
const TRIPS_A_RUN = 3;
/** With so many to spare leases begin to double: of 8 s, they outlast the quarter of an hour of an alarm. */
const FEW_TRIPS = 7;
/** Of a tick that has no deadline. */
const LONGEST_LEASE_MS = 900_000;

export function createBudget(host: Host, options: BudgetOptions): Budget {
  const { tripsLeft, runsInHand = () => 0 } = options;
  // The process's clock is read once; from here on it may jump.
  const availableMs = Math.max(0, (options.deadline ?? Infinity) - host.now());
  const stopAtMs =
    options.deadline === null ? Infinity : host.elapsedMs() + availableMs - marginMs(availableMs);
  let { expectedStepMs } = options;
  let stepsStarted = 0;
  const remainingMs = (): number => (options.signal?.aborted ? 0 : stopAtMs - host.elapsedMs());
  const freeTrips = (): number =>
    (tripsLeft?.() ?? Infinity) - SPARE_TRIPS - TRIPS_A_RUN * runsInHand();
  /** The first body is allowed whatever is kept, as of time. */
  const mayStart = (neededMs: number): boolean =>
    stepsStarted < options.maxSteps &&
    remainingMs() > neededMs &&
    (stepsStarted === 0 || freeTrips() > 0);
  return {
    get stepsStarted(): number {
      return stepsStarted;
    },
    hasTime: () => mayStart(0),
    // A claim is a trip, and each run that it finds is to come a step further.
    runsToClaim: () => Math.floor((freeTrips() - 1) / (TRIPS_A_RUN + 1)),
    toLeaseMs: (leaseMs, lastMs) => {
      const free = freeTrips();
      if (free > FEW_TRIPS) return leaseMs;
      const restMs = Math.min(LONGEST_LEASE_MS, Math.max(0, Math.round(remainingMs())));
      return Math.min(leaseMs + restMs, free > 0 ? lastMs * 2 : Infinity);
    },
    tryStartStep: (timeoutMs) => {
      const expectedMs = Math.min(timeoutMs, expectedStepMs);
      const fits = mayStart(stepsStarted === 0 ? 0 : expectedMs);
      if (fits) stepsStarted += 1;
      return fits;
    },
    noteBody: (tookMs) => {
      expectedStepMs = Math.max(expectedStepMs, tookMs);
    },
    remainingMs,
    onExpiry: (callback) =>
      stopAtMs === Infinity ? (): void => {} : host.setTimer(Math.max(0, remainingMs()), callback),
  };
}

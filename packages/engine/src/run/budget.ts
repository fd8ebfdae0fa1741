/** The budget of a tick: the time and trips left in the invocation, and the steps that it may still start. */
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

export interface BudgetOptions {
  /** Process-clock instant at which the invocation is killed; null: none. */
  readonly deadline: number | null;
  readonly maxSteps: number;
  /** How long a body is expected to take when nothing better is known, in milliseconds. */
  readonly expectedStepMs: number;
  /** Trips to the database that the invocation may still make. @default no limit */
  readonly tripsLeft?: (() => number) | undefined;
  /** How many runs this process holds. Trips are reserved for each of them. @default 0 */
  readonly runsInHand?: () => number;
  /** When aborted, nothing new may begin. */
  readonly signal?: AbortSignal | undefined;
}

export interface Budget {
  readonly stepsStarted: number;
  /** Whether there are time and trips to start anything. */
  hasTime(): boolean;
  /** How many more runs the trips are enough for, besides those that are held; 0 or less: none. */
  runsToClaim(): number;
  /**
   * Returns the length of a renewed lease, normally `leaseMs`. When trips run short, it is twice the last one, so that a dead
   * process is noticed after about as long as it has worked. When trips run out, it is as long as work may go on, so that no
   * further renewal is needed.
   */
  toLeaseMs(leaseMs: DurationMs, lastMs: DurationMs): DurationMs;
  /**
   * Asks to start a body that may take `timeoutMs`. The first body of a tick is allowed while any time is left: handing
   * over without progress would never end (research note schedulers.md, rule R4).
   */
  tryStartStep(timeoutMs: number): boolean;
  /** Notes how long a body took. The next ones are expected to take as long, or as long as their timeout allows. */
  noteBody(tookMs: number): void;
  /** Milliseconds until work must stop; Infinity without a deadline. */
  remainingMs(): number;
  /** Calls back when work must stop; returns a function that cancels. */
  onExpiry(callback: () => void): () => void;
}

/** Time that is kept for the last commit: 2 s or a tenth of the available time, whichever is more, but at most half of it. */
const marginMs = (availableMs: number): number =>
  Math.min(Math.max(2000, availableMs / 10), availableMs / 2);

/** Trips that are kept in reserve, for batches that have to be repeated. */
const SPARE_TRIPS = 4;
/** Trips that are kept for each held run: the commit that is under way, the last renewal of its lease, and its last commit. */
const TRIPS_A_RUN = 3;
/** When only this many trips are left, leases begin to double. From 8 s on, they then outlast the 15 minutes of an alarm. */
const FEW_TRIPS = 7;
/** The longest lease of a tick without a deadline. */
const LONGEST_LEASE_MS = 900_000;

export function createBudget(host: Host, options: BudgetOptions): Budget {
  const { tripsLeft, runsInHand = () => 0 } = options;
  // The process's clock is read only here, because it may jump later.
  const availableMs = Math.max(0, (options.deadline ?? Infinity) - host.now());
  const stopAtMs =
    options.deadline === null ? Infinity : host.elapsedMs() + availableMs - marginMs(availableMs);
  let { expectedStepMs } = options;
  let stepsStarted = 0;
  const remainingMs = (): number => (options.signal?.aborted ? 0 : stopAtMs - host.elapsedMs());
  const freeTrips = (): number =>
    (tripsLeft?.() ?? Infinity) - SPARE_TRIPS - TRIPS_A_RUN * runsInHand();
  /** As with time, the first body is allowed even into the reserve. */
  const mayStart = (neededMs: number): boolean =>
    stepsStarted < options.maxSteps &&
    remainingMs() > neededMs &&
    (stepsStarted === 0 || freeTrips() > 0);
  return {
    get stepsStarted(): number {
      return stepsStarted;
    },
    hasTime: () => mayStart(0),
    // The claim takes a trip, and each run that it finds needs one more to get a step further.
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

/** Whom a tick has woken once it has ended. */
import type { EpochMs } from "../model/records.ts";

/**
 * `any`: whatever comes due, and the ends of leases that others hold. `due`: no leases, for who would stay until then.
 * `own`: what the tick parked itself, and that only if nothing comes due before. For ticks that requests begin, where each
 * who is woken wakes for what comes next.
 */
export type WakesFor = "any" | "due" | "own";

export interface WakeFacts {
  readonly wakesFor: WakesFor;
  /** Database instant of the decision, at the latest: when the last claim was answered is not when it was made. */
  readonly latestNow: EpochMs;
  /** When the next run comes due that the last claim saw; null: none does by itself. */
  readonly nextDueAt: EpochMs | null;
  /** The same, or the earliest end of a lease that others hold. */
  readonly nextWakeAt: EpochMs | null;
  /** When the first of the runs comes due that the tick parked; null: none does. */
  readonly parkedUntil: EpochMs | null;
}

/**
 * Somebody is woken for the first instant, and each who is woken wakes for the next: one wake for each, however many tick.
 * So a tick that a request began leaves what it parked to a wake before it which is still to come: that one looks later
 * than the run was parked. A wake whose instant has passed may have looked already.
 *
 * @returns database instant; null: nobody is to be woken
 */
export function decideWake(facts: WakeFacts): EpochMs | null {
  const { wakesFor, latestNow, nextDueAt, nextWakeAt, parkedUntil } = facts;
  if (wakesFor === "any") return earlier(nextWakeAt, parkedUntil);
  if (wakesFor === "due") return earlier(nextDueAt, parkedUntil);
  if (parkedUntil === null || nextDueAt === null) return parkedUntil;
  const isFound = latestNow < nextDueAt && nextDueAt < parkedUntil;
  return isFound ? null : parkedUntil;
}

/** null: never. */
export const earlier = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Decides which wake a tick asks for when it has ended, or what it waits for itself. */
import type { EpochMs } from "../model/records.ts";

/**
 * `any`: everything that becomes due, and the ends of other processes' leases. `due`: without leases, for ticks that would have to
 * stay until then. `own`: what the tick parked itself, and only if nothing is due before it. Use `own` for ticks that requests
 * begin, where each woken tick wakes for what comes next.
 */
export type WakesFor = "any" | "due" | "own";

export interface WakeFacts {
  readonly wakesFor: WakesFor;
  /** The latest database time at which the decision may have been made; the last claim was answered later than it was made. */
  readonly latestNow: EpochMs;
  /** The next due time that the last claim saw; null: nothing is due by itself. */
  readonly nextDueAt: EpochMs | null;
  /** The same, or the earliest end of another process's lease. */
  readonly nextWakeAt: EpochMs | null;
  /** The earliest due time of the runs that the tick parked; null: none is due by itself. */
  readonly parkedUntil: EpochMs | null;
  /** The instant for which another wake exists, according to the wake that began the tick; null: none, or unknown. */
  readonly thenWakeAt: EpochMs | null;
}

/** One link of the chain of wakes. */
export interface ChainedWake {
  /** Database instant. */
  readonly at: EpochMs;
  /** The next wake, which has been asked for already; null: none, or unknown. */
  readonly thenWakeAt: EpochMs | null;
}

/**
 * A wake exists for the first instant, and each woken tick asks for the next: one wake per instant, however many ticks there are.
 * So a tick relies on an earlier wake that is still to come for what it parked, because that one looks later than the run was
 * parked. A wake whose instant has passed may have looked already.
 *
 * If what a request's tick parked is due before everything else, it becomes the first link. The link after it is passed along, so
 * that the woken tick does not ask for that wake again.
 *
 * @returns null: no wake is needed
 */
export function decideWake(facts: WakeFacts): ChainedWake | null {
  const { latestNow, thenWakeAt, nextDueAt } = facts;
  const at = firstInstant(facts);
  if (at === null) return null;
  const isOwn = facts.wakesFor === "own";
  const other = isOwn ? nextDueAt : thenWakeAt;
  if (other === null || other <= latestNow) return { at, thenWakeAt: null };
  // The due time that the last claim saw may be the tick's own run, if the instants are equal.
  const isFound = other < at || (!isOwn && other === at);
  return isFound ? null : { at, thenWakeAt: other === at ? null : other };
}

function firstInstant(facts: WakeFacts): EpochMs | null {
  const { wakesFor, nextDueAt, nextWakeAt, parkedUntil } = facts;
  if (wakesFor === "own") return parkedUntil;
  return earlier(wakesFor === "any" ? nextWakeAt : nextDueAt, parkedUntil);
}

/** null: never. */
export const earlier = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

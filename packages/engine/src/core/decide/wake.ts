/** Whom a tick has woken once it has ended, or what it waits for itself. */
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
  /** For which instant somebody else is woken, as the wake said that began the tick; null: nobody, or it is not known. */
  readonly thenWakeAt: EpochMs | null;
}

/** A link of the chain. */
export interface ChainedWake {
  /** Database instant. */
  readonly at: EpochMs;
  /** The wake after it, which is asked for already; null: none, or it is not known. */
  readonly thenWakeAt: EpochMs | null;
}

/**
 * Somebody is woken for the first instant, and each who is woken wakes for the next: one wake for each, however many tick.
 * So a tick leaves what it parked to a wake before it which is still to come: that one looks later than the run was parked.
 * A wake whose instant has passed may have looked already.
 *
 * What a request's tick parked before all others becomes the first link; told of the link after it, whoever is woken does
 * not ask for that anew.
 *
 * @returns null: nobody is to be woken
 */
export function decideWake(facts: WakeFacts): ChainedWake | null {
  const { latestNow, thenWakeAt, nextDueAt } = facts;
  const at = firstInstant(facts);
  if (at === null) return null;
  const isOwn = facts.wakesFor === "own";
  const other = isOwn ? nextDueAt : thenWakeAt;
  if (other === null || other <= latestNow) return { at, thenWakeAt: null };
  // What the last claim saw of the instant that the tick parked for may be the tick's own.
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

/** What a tick knows about the next due work, and for what it has woken others. */
import { type ChainedWake, decideWake, type WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { NextWakeOutput, TickInput, TickOutput } from "../ports/tick.ts";
import type { ClaimResult, NextDue } from "../ports/claim.ts";

/** How long a tick waits before it asks again for a due run that it could not claim, because another process has its row locked. */
const FIRST_RECHECK_MS: DurationMs = 250;
const LONGEST_RECHECK_MS: DurationMs = 8000;

/** When a claim was sent and answered, by the process's monotonic clock. */
export interface SeenWhen {
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** Its instants are the database's; `elapsedMs` is by the process's monotonic clock. */
export class DueWork {
  /** A claim has reported what is due next. */
  isKnown = false;
  /** What the last claim saw. */
  #seen: Omit<NextDue, "now"> = { nextDueAt: null, nextWakeAt: null };
  /** When it saw that. */
  #seenAt: EpochMs = -Infinity;
  #wakesFor: WakesFor;
  #thenWakeAt: EpochMs | null;
  /** When the first of the runs that this tick parked is due; null: none. */
  #parkedUntil: EpochMs | null = null;
  /** Until when nothing is due and no lease ends; Infinity: for ever. */
  #quietUntil: EpochMs = Infinity;
  /** How long after the last claim to look again for runs that it saw due but did not get. */
  #recheckMs: DurationMs = 0;
  /** The smallest possible difference of the database's clock to the process's, from when the last claim was answered. */
  #aheadMs = 0;
  /** The largest possible difference, from when the last claim was sent. */
  #maxAheadMs = 0;

  constructor({ wakesFor = "any", thenWakeAt = null }: TickInput) {
    this.#wakesFor = wakesFor;
    this.#thenWakeAt = thenWakeAt;
  }

  /** This tick only wakes for what it parked itself; others wake for the rest. */
  get isOwn(): boolean {
    return this.#wakesFor === "own";
  }

  /** false: the last claim got as many runs as it asked for, so it does not know what comes after those. */
  get knowsNext(): boolean {
    return this.#seen.nextDueAt === null || this.#seen.nextDueAt > this.#seenAt;
  }

  noteClaim(
    { now, nextDueAt, nextWakeAt, runs }: NextDue & Partial<ClaimResult>,
    { sentMs, answeredMs }: SeenWhen,
  ): void {
    const missedMs = runs?.length === 0 && !this.knowsNext ? this.#recheckMs : 0;
    // Nobody has tried to claim the other work that the call saw.
    this.#recheckMs =
      runs === undefined
        ? 0
        : Math.min(LONGEST_RECHECK_MS, Math.max(FIRST_RECHECK_MS, missedMs * 2));
    this.isKnown = true;
    this.#seen = { nextDueAt, nextWakeAt };
    this.#seenAt = now;
    // Nobody was woken for what became due meanwhile, so this tick has to wake for whatever comes next.
    if (this.#parkedUntil !== null && this.#parkedUntil <= now) this.takeOver(null);
    this.#quietUntil = nextWakeAt ?? Infinity;
    this.#aheadMs = now - answeredMs;
    this.#maxAheadMs = now - sentMs;
  }

  notePark(dueAt: EpochMs): void {
    this.#parkedUntil = Math.min(this.#parkedUntil ?? Infinity, dueAt);
    this.#quietUntil = Math.min(this.#quietUntil, dueAt);
  }

  /** A suspect is due, but this process holds other runs. Look for it again when they may have ended. */
  noteSuspect(elapsedMs: DurationMs): void {
    this.notePark(Math.ceil(this.#maxAheadMs + elapsedMs) + LONGEST_RECHECK_MS);
  }

  /** Lets the tick go on as if it had been woken. @param thenWakeAt see `TickInput` */
  takeOver(thenWakeAt: EpochMs | null): void {
    if (this.isOwn) [this.#wakesFor, this.#thenWakeAt] = ["due", thenWakeAt];
    this.#parkedUntil = null;
  }

  /**
   * Another process is woken for what comes next, and wakes for what follows. Work that was due at the last claim already is
   * handed over when the tick ends.
   *
   * @returns null: there is nothing to pass on
   */
  passOn(elapsedMs: DurationMs): NextWakeOutput | null {
    const next = this.tell(elapsedMs);
    if (next.nextWakeAt === null || next.nextWakeAt <= this.#seenAt) return null;
    this.#wakesFor = "own";
    this.#parkedUntil = null;
    return next;
  }

  /**
   * What the tick itself may wait for, and how long; Infinity: nothing. It never waits for the end of another process's lease.
   * `next` is null if it looks again for a run that was due already.
   */
  nextCheck(elapsedMs: DurationMs): {
    readonly inMs: DurationMs;
    readonly next: ChainedWake | null;
  } {
    const next = this.#decide(elapsedMs, this.isOwn ? "own" : "due");
    const isMissed = next !== null && next.at <= this.#seenAt;
    const recheckAt = Math.min(this.#seenAt + this.#recheckMs, this.#parkedUntil ?? Infinity);
    const at = isMissed ? recheckAt : (next?.at ?? Infinity);
    return { inMs: at - this.#aheadMs - elapsedMs, next: isMissed ? null : next };
  }

  tell(elapsedMs: DurationMs): Omit<TickOutput, "processed" | "steps" | "moreDue"> {
    const next = this.#decide(elapsedMs, this.#wakesFor);
    const now = this.#aheadMs + elapsedMs;
    const msUntil = (at: EpochMs): DurationMs | null =>
      at === Infinity ? null : Math.max(0, Math.ceil(at - now));
    return {
      nextWakeInMs: msUntil(next?.at ?? Infinity),
      nextWakeAt: next?.at ?? null,
      thenWakeAt: next?.thenWakeAt ?? null,
      quietMs: msUntil(this.#quietUntil),
    };
  }

  #decide(elapsedMs: DurationMs, wakesFor: WakesFor): ChainedWake | null {
    return decideWake({
      wakesFor,
      latestNow: this.#maxAheadMs + elapsedMs,
      thenWakeAt: this.#thenWakeAt,
      parkedUntil: this.#parkedUntil,
      ...this.#seen,
    });
  }
}

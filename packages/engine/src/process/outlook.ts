/** What a tick knows of what comes next, and whom it has woken for it. */
import { type ChainedWake, decideWake, type WakesFor } from "../core/decide/wake.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { NextWakeTold, TickInput, TickOutput } from "../ports/tick.ts";
import type { ClaimResult, NextDue } from "../ports/claim.ts";

/** After so long a tick asks again for a run that is due and was not to be had: another process has its row locked. */
const FIRST_RECHECK_MS: DurationMs = 250;
const LONGEST_RECHECK_MS: DurationMs = 8000;

/** When a claim was sent and answered, by the process's monotonic clock. */
export interface SeenWhen {
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** Its instants are the database's, and `elapsedMs` is of the process's monotonic clock. */
export class Outlook {
  /** A claim has told what comes next. */
  hasLooked = false;
  /** What the last claim saw. */
  #seen: Omit<NextDue, "now"> = { nextDueAt: null, nextWakeAt: null };
  /** When it saw that. */
  #seenAt: EpochMs = -Infinity;
  #wakesFor: WakesFor;
  #thenWakeAt: EpochMs | null;
  /** When the first of the runs comes due that this tick parked; null: none does. */
  #parkedUntil: EpochMs | null = null;
  /** Until when nothing is due and no lease ends; Infinity: ever. */
  #quietUntil: EpochMs = Infinity;
  /** How long after the last claim it is looked again for what that one saw due and did not get. */
  #recheckMs: DurationMs = 0;
  /** The database's clock less the process's: at least, by when the last claim was answered. */
  #aheadMs = 0;
  /** The same at most, by when it was sent. */
  #maxAheadMs = 0;

  constructor({ wakesFor = "any", thenWakeAt = null }: TickInput) {
    this.#wakesFor = wakesFor;
    this.#thenWakeAt = thenWakeAt;
  }

  /** Others are woken for what others parked. */
  get isOwn(): boolean {
    return this.#wakesFor === "own";
  }

  /** false: a claim that got as many as it asked for does not tell what comes after those. */
  get knowsNext(): boolean {
    return this.#seen.nextDueAt === null || this.#seen.nextDueAt > this.#seenAt;
  }

  noteClaim(
    { now, nextDueAt, nextWakeAt, runs }: NextDue & Partial<ClaimResult>,
    { sentMs, answeredMs }: SeenWhen,
  ): void {
    const missedMs = runs?.length === 0 && !this.knowsNext ? this.#recheckMs : 0;
    // What a call saw beside the run that it claimed, nobody has tried to take.
    this.#recheckMs =
      runs === undefined
        ? 0
        : Math.min(LONGEST_RECHECK_MS, Math.max(FIRST_RECHECK_MS, missedMs * 2));
    this.hasLooked = true;
    this.#seen = { nextDueAt, nextWakeAt };
    this.#seenAt = now;
    // What has passed meanwhile nobody was woken for: whatever comes next is this tick's to wake for.
    if (this.#parkedUntil !== null && this.#parkedUntil <= now) this.takeOver(null);
    this.#quietUntil = nextWakeAt ?? Infinity;
    this.#aheadMs = now - answeredMs;
    this.#maxAheadMs = now - sentMs;
  }

  notePark(dueAt: EpochMs): void {
    this.#parkedUntil = Math.min(this.#parkedUntil ?? Infinity, dueAt);
    this.#quietUntil = Math.min(this.#quietUntil, dueAt);
  }

  /** A suspect is due, and others of this process hold runs: it is looked for again once they may have ended. */
  noteSuspect(elapsedMs: DurationMs): void {
    this.notePark(Math.ceil(this.#maxAheadMs + elapsedMs) + LONGEST_RECHECK_MS);
  }

  /** The tick goes on as if it had been woken. @param thenWakeAt see `TickInput` */
  takeOver(thenWakeAt: EpochMs | null): void {
    if (this.isOwn) [this.#wakesFor, this.#thenWakeAt] = ["due", thenWakeAt];
    this.#parkedUntil = null;
  }

  /**
   * Somebody else is woken for what comes next, and wakes for what comes then. What was due already at the last claim is handed
   * over when the tick ends.
   *
   * @returns null: nothing is to be passed on
   */
  passOn(elapsedMs: DurationMs): NextWakeTold | null {
    const next = this.tell(elapsedMs);
    if (next.nextWakeAt === null || next.nextWakeAt <= this.#seenAt) return null;
    this.#wakesFor = "own";
    this.#parkedUntil = null;
    return next;
  }

  /**
   * What the tick itself may wait for, which is never the end of a lease that others hold, and how long; Infinity: nothing.
   * `next` is null where a run that was due already is looked for again.
   */
  nextLook(elapsedMs: DurationMs): {
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

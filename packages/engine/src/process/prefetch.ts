/**
 * The prefetch of a process with a loop: runs that it has claimed before a slot is free for them.
 *
 * Without it, a slot is empty from the moment a run leaves it until the next claim is answered. So a process claims ahead while
 * its slots become free quickly: as many runs may wait as slots became free recently, and at most as many as there are slots. A
 * run that waits much longer than expected is released, so that a process with a free slot can take it.
 */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { CallTicket, ClaimedRun, ClaimResult, NextDue } from "../ports/claim.ts";
import { spentBudget, unboundedBudget } from "../run/unbounded-budget.ts";
import type { Slots, StartOptions, Ticket } from "./slots.ts";
import { RecentRate } from "./recent-rate.ts";
import { QUICK_MS } from "./slot-limit.ts";

/** How long a run may wait for a slot: about ten times what is expected, and far less than a lease. */
const PATIENCE_MS: DurationMs = 250;

/** A slot for a run that a call may claim. Follow with `start` or `release`. */
export interface Slot {
  readonly ticket: Ticket & CallTicket;
  /** Gives the slot to the run that the call claimed: now, or when it is free. @param next what the call saw */
  start(run: ClaimedRun, next: NextDue): void;
  release(): void;
}

interface Waiting {
  readonly run: ClaimedRun;
  readonly options: StartOptions;
  /** By the process's clock. */
  readonly waitsUntil: EpochMs;
}

export class Prefetch {
  readonly #slots: Slots;
  readonly #host: Host;
  readonly #isOpen: () => boolean;
  readonly #freedRate: RecentRate;
  /** How many of the reserved slots are reserved here. */
  #reserved = 0;
  #waiting: Waiting[] = [];
  #cancelTimer = (): void => {};

  /** @param isOpen whether a loop runs; without one, runs that are still claimed are released */
  constructor(
    { slots, host }: { readonly slots: Slots; readonly host: Host },
    isOpen: () => boolean,
  ) {
    this.#slots = slots;
    this.#host = host;
    this.#isOpen = isOpen;
    this.#freedRate = new RecentRate(host);
    slots.freed.on((heldMs) => {
      if (heldMs <= QUICK_MS) this.#freedRate.note();
      // If the process was frozen, waiting runs may have lost their leases.
      this.releaseWaiting(host.elapsedMs());
      if (this.#hasSlot) this.#startFirst();
    });
  }

  /** How many runs a claim should bring: as many as there is room for, if a slot is free or half of the prefetch is gone. */
  get wanted(): number {
    if (this.#slots.isClosed) return 0;
    const ahead = this.#ahead;
    const room = this.#slots.free + ahead;
    return this.#slots.free > 0 || room * 2 >= ahead ? room : 0;
  }

  /** Reserves a slot; null: no loop runs, or no slot is free or about to be. */
  reserve(): Slot | null {
    if (!this.#isOpen() || this.#slots.isClosed || this.#slots.free + this.#ahead <= 0) return null;
    this.#reserve(1);
    const release = (): void => this.#reserve(-1);
    const ticket = this.#slots.newTicket(Infinity);
    return {
      ticket,
      start: (claimed, { now }) => {
        const { leaseEndsAtMs } = ticket;
        const observedAtMs = this.#host.elapsedMs();
        const options = { now, observedAtMs, budget: unboundedBudget(this.#host), leaseEndsAtMs };
        const admit = (run: ClaimedRun, given: StartOptions): void => {
          release();
          this.#admit(run, given);
        };
        void this.#slots
          .admit(claimed, options, admit)
          .then((isAdmitted) => isAdmitted || release());
      },
      release,
    };
  }

  /** Claims up to `limit` due runs, for the free slots and the prefetch. One trip. */
  claim(limit: number): Promise<ClaimResult> {
    this.#reserve(limit);
    return this.#slots
      .claim(limit, unboundedBudget(this.#host), (run, options) => this.#admit(run, options))
      .finally(() => this.#reserve(-limit));
  }

  /** Releases runs that have waited too long, or with Infinity all of them. */
  releaseWaiting(until: EpochMs): void {
    const late = this.#waiting.filter(({ waitsUntil }) => waitsUntil <= until);
    if (late.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !late.includes(waiting));
    this.#reserve(-late.length);
    for (const { run, options } of late) this.#releaseRun(run, options);
    if (this.#waiting.length === 0) this.#cancelTimer();
  }

  get #hasSlot(): boolean {
    return this.#slots.free + this.#reserved > 0;
  }

  get #ahead(): number {
    return Math.min(this.#slots.count, this.#freedRate.recent);
  }

  #reserve(count: number): void {
    this.#reserved += count;
    this.#slots.reserved += count;
  }

  #admit(run: ClaimedRun, options: StartOptions): void {
    if (!this.#isOpen()) this.#releaseRun(run, options);
    else if (this.#hasSlot) this.#slots.start(run, options);
    else {
      this.#reserve(1);
      this.#waiting.push({ run, options, waitsUntil: this.#host.elapsedMs() + PATIENCE_MS });
      if (this.#waiting.length === 1) this.#watchFirst();
    }
  }

  #startFirst(): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#reserve(-1);
    this.#slots.start(first.run, first.options);
  }

  #releaseRun(run: ClaimedRun, options: StartOptions): void {
    this.#slots.open(run, { ...options, budget: spentBudget(this.#host) });
  }

  /** Sets the one timer, for the run that waits longest. If that run has left when it fires, it looks at the next one. */
  #watchFirst(): void {
    this.#cancelTimer();
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#cancelTimer = this.#host.setTimer(first.waitsUntil - this.#host.elapsedMs(), () => {
      this.releaseWaiting(this.#host.elapsedMs());
      this.#watchFirst();
    });
  }
}

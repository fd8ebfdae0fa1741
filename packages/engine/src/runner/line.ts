/**
 * The line of a process with a loop: runs that it has claimed and that wait for a slot.
 *
 * Without it a slot stands empty from the moment a run leaves it until the next claim is back. So a process claims ahead
 * while its slots come free quickly: as many runs may wait as slots came free lately, and no more than there are slots. A
 * run that waits much longer than expected is handed back, for whoever has a slot.
 */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";
import type { ClaimedRun, ClaimResult, ClaimTicket } from "../ports/store.ts";
import { type Budget, SPENT_BUDGET } from "./budget.ts";
import type { RunPool, StartOptions } from "./pool.ts";
import { Turnover } from "./turnover.ts";

/** Slots that runs take longer do not come free quickly. */
const QUICK_MS: DurationMs = 100;

/** How long a run may wait: ten times what is expected at most, and far less than a lease. */
const PATIENCE_MS: DurationMs = 250;

/** A slot for a run that a call may claim. Follow with `start` or `giveBack`. */
export interface Slot {
  readonly ticket: ClaimTicket;
  /** Gives it to the run that the call claimed: now, or when it is free. */
  start(run: ClaimedRun, options: StartOptions): void;
  giveBack(): void;
}

interface Waiting {
  readonly run: ClaimedRun;
  readonly options: StartOptions;
  /** Process-clock instant. */
  readonly waitsUntil: EpochMs;
}

export class Line {
  readonly #pool: RunPool;
  readonly #host: Host;
  readonly #turnover: Turnover;
  #waiting: Waiting[] = [];
  #cancelTimer = (): void => {};

  constructor(pool: RunPool, host: Host) {
    this.#pool = pool;
    this.#host = host;
    this.#turnover = new Turnover(host);
    pool.freed.on((heldMs) => {
      if (heldMs <= QUICK_MS) this.#turnover.note();
      if (this.#hasSlot) this.#startFirst();
    });
  }

  /** How many runs a claim should bring: as many as there is room for, once a slot is free or half of the line is gone. */
  get wanted(): number {
    const ahead = this.#ahead;
    const room = this.#pool.room + ahead;
    return this.#pool.room > 0 || room * 2 >= ahead ? room : 0;
  }

  /** null: none is free, and none is about to be. */
  take(): Slot | null {
    const pool = this.#pool;
    if (pool.room + this.#ahead <= 0) return null;
    pool.promised += 1;
    const giveBack = (): void => void (pool.promised -= 1);
    return {
      ticket: pool.newTicket(Infinity),
      start: (run, options) => {
        giveBack();
        this.#place(run, options);
      },
      giveBack,
    };
  }

  /** Claims up to `limit` due runs, for the free slots and the line. One trip. */
  claim(limit: number, budget: Budget): Promise<ClaimResult> {
    return this.#pool.claim(limit, budget, (run, options) => this.#place(run, options));
  }

  /** Hands back what waits since too long, or with Infinity everything. */
  handBack(until: EpochMs): void {
    for (const { run, options, waitsUntil } of this.#waiting) {
      if (waitsUntil > until) break;
      this.#leaveLine();
      this.#pool.open(run, { ...options, budget: SPENT_BUDGET });
    }
    this.#watchFirst();
  }

  get #hasSlot(): boolean {
    return this.#pool.room + this.#pool.promised > 0;
  }

  get #ahead(): number {
    return Math.min(this.#pool.concurrency, this.#turnover.lately);
  }

  #place(run: ClaimedRun, options: StartOptions): void {
    if (this.#hasSlot) {
      this.#pool.start(run, options);
      return;
    }
    this.#pool.promised += 1;
    this.#waiting.push({ run, options, waitsUntil: this.#host.now() + PATIENCE_MS });
    if (this.#waiting.length === 1) this.#watchFirst();
  }

  #startFirst(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#leaveLine();
    this.#pool.start(first.run, first.options);
  }

  #leaveLine(): void {
    this.#waiting = this.#waiting.slice(1);
    this.#pool.promised -= 1;
  }

  /** One timer, for who waits longest; when it fires for one that has left, it looks at who is first then. */
  #watchFirst(): void {
    this.#cancelTimer();
    const [first] = this.#waiting;
    if (first === undefined) return;
    const delayMs = first.waitsUntil - this.#host.now();
    this.#cancelTimer = this.#host.setTimer(delayMs, () => this.handBack(this.#host.now()));
  }
}

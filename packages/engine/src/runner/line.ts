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
import { SPENT_BUDGET, unboundedBudget } from "./budget.ts";
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
  readonly #isOpen: () => boolean;
  readonly #turnover: Turnover;
  /** Of the slots that are promised, those promised here. */
  #promised = 0;
  #waiting: Waiting[] = [];
  #cancelTimer = (): void => {};

  /** @param isOpen whether a loop runs; without one, what is still claimed is handed over */
  constructor(
    { pool, host }: { readonly pool: RunPool; readonly host: Host },
    isOpen: () => boolean,
  ) {
    this.#pool = pool;
    this.#host = host;
    this.#isOpen = isOpen;
    this.#turnover = new Turnover(host);
    pool.freed.on((heldMs) => {
      if (heldMs <= QUICK_MS) this.#turnover.note();
      // A process that was frozen may have lost the leases of those who wait.
      this.handBack(host.now());
      if (this.#hasSlot) this.#startFirst();
    });
  }

  /** How many runs a claim should bring: as many as there is room for, once a slot is free or half of the line is gone. */
  get wanted(): number {
    const ahead = this.#ahead;
    const room = this.#pool.room + ahead;
    return this.#pool.room > 0 || room * 2 >= ahead ? room : 0;
  }

  /** null: no loop runs, or no slot is free and none is about to be. */
  take(): Slot | null {
    if (!this.#isOpen() || this.#pool.room + this.#ahead <= 0) return null;
    this.#promise(1);
    const giveBack = (): void => this.#promise(-1);
    return {
      ticket: this.#pool.newTicket(Infinity),
      start: (run, options) => {
        giveBack();
        this.#place(run, options);
      },
      giveBack,
    };
  }

  /** Claims up to `limit` due runs, for the free slots and the line. One trip. */
  claim(limit: number): Promise<ClaimResult> {
    this.#promise(limit);
    return this.#pool
      .claim(limit, unboundedBudget(this.#host), (run, options) => this.#place(run, options))
      .finally(() => this.#promise(-limit));
  }

  /** Hands back what waits since too long, or with Infinity everything. */
  handBack(until: EpochMs): void {
    const late = this.#waiting.filter(({ waitsUntil }) => waitsUntil <= until);
    if (late.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => !late.includes(waiting));
    this.#promise(-late.length);
    for (const { run, options } of late) this.#handOver(run, options);
    if (this.#waiting.length === 0) this.#cancelTimer();
  }

  get #hasSlot(): boolean {
    return this.#pool.room + this.#promised > 0;
  }

  get #ahead(): number {
    return Math.min(this.#pool.concurrency, this.#turnover.lately);
  }

  #promise(count: number): void {
    this.#promised += count;
    this.#pool.promised += count;
  }

  #place(run: ClaimedRun, options: StartOptions): void {
    if (!this.#isOpen()) this.#handOver(run, options);
    else if (this.#hasSlot) this.#pool.start(run, options);
    else {
      this.#promise(1);
      this.#waiting.push({ run, options, waitsUntil: this.#host.now() + PATIENCE_MS });
      if (this.#waiting.length === 1) this.#watchFirst();
    }
  }

  #startFirst(): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#promise(-1);
    this.#pool.start(first.run, first.options);
  }

  #handOver(run: ClaimedRun, options: StartOptions): void {
    this.#pool.open(run, { ...options, budget: SPENT_BUDGET });
  }

  /** One timer, for who waits longest; when it fires for one that has left, it looks at who is first then. */
  #watchFirst(): void {
    this.#cancelTimer();
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#cancelTimer = this.#host.setTimer(first.waitsUntil - this.#host.now(), () => {
      this.handBack(this.#host.now());
      this.#watchFirst();
    });
  }
}

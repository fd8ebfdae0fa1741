/**
 * Tells author code the outcomes of its steps one at a time, in the order in which they were settled, on every replay as
 * the first time. Whoever drives it lets author code go as far as it can between two of them; so a race has one winner for
 * ever, whatever has come true meanwhile.
 */
import type { EpochMs, Settlement, SettledStep } from "../core/model/records.ts";
import type { RunClock } from "./run-clock.ts";

interface Waiting extends Settlement {
  readonly tell: () => void;
}

export class ReplayOrder {
  /** Settled steps of the history, by order. */
  readonly #recorded: readonly SettledStep[];
  /** Index in `#recorded` of the first that has not been told or passed over. */
  #position = 0;
  /** Outcomes that author code has asked for and has not been told, by order: mostly one, and mostly asked for in order. */
  readonly #waiting: Waiting[] = [];
  readonly #firstNewOrder: number;
  #nextOrder: number;
  /** Orders of history that nobody is told; null: there are none. */
  #untold: Set<number> | null = null;
  /** The highest order of an outcome that author code has been told; 0: none. */
  toldOrder = 0;
  /** A step of this order is being committed: later ones wait for it. Infinity: none is. */
  #heldAt = Infinity;
  readonly #clock: RunClock;

  constructor(settled: readonly SettledStep[], nextOrder: number, clock: RunClock) {
    this.#clock = clock;
    this.#recorded = settled;
    this.#firstNewOrder = nextOrder;
    this.#nextOrder = nextOrder;
  }

  /** The order and the instant of a step that settles now for the first time. @param notBefore what the instant is at least */
  allocate(notBefore: EpochMs = 0): Settlement {
    const settledOrder = this.#nextOrder;
    this.#nextOrder += 1;
    return { settledOrder, updatedAt: this.#clock.settle(notBefore) };
  }

  /** An outcome that author code waits for. */
  add({ settledOrder, updatedAt }: Settlement, tell: () => void): void {
    const waiting = this.#waiting;
    const added = { settledOrder, updatedAt, tell };
    for (let index = waiting.push(added) - 1; index > 0; index -= 1) {
      const before = waiting[index - 1] as Waiting;
      if (before.settledOrder < settledOrder) return;
      waiting[index] = before;
      waiting[index - 1] = added;
    }
  }

  /** Whether author code has asked for the outcome of this order and has not been told it. */
  isWaiting(order: number): boolean {
    return this.#waiting.some((waiting) => waiting.settledOrder === order);
  }

  /** Whether history has the outcome of this order, and replay has not come so far yet. */
  isAhead(order: number): boolean {
    return order >= this.#orderHere && order < this.#firstNewOrder;
  }

  /** Author code has come to a step of history that has nothing to tell. */
  passOver(order: number): void {
    if (this.isAhead(order)) (this.#untold ??= new Set()).add(order);
  }

  /** Whether history goes on with a step that author code has not called. @param isCalled also of those it waits for in other ways */
  hasUncalled(isCalled: (stepKey: string) => boolean): boolean {
    return this.uncalled.some(({ stepKey }) => !isCalled(stepKey));
  }

  /** Keeps back what is settled after `order`, until it is released by Infinity. */
  hold(order: number): void {
    this.#heldAt = order;
  }

  /** Whether what comes next is told from history. */
  get isReplaying(): boolean {
    const [first] = this.#waiting;
    return first !== undefined && first.settledOrder < this.#firstNewOrder;
  }

  /**
   * Takes out the next outcome to tell; null: there is none. Call it only once author code has made all the calls that it
   * can: what is missing before the next one was not called, and `onSkipped` hears of it.
   */
  next(onSkipped: (skipped: readonly SettledStep[]) => void): (() => void) | null {
    const [first] = this.#waiting;
    if (first === undefined || first.settledOrder > this.#heldAt) return null;
    this.#waiting.shift();
    this.#clock.tell(first.updatedAt);
    this.toldOrder = Math.max(this.toldOrder, first.settledOrder);
    if (first.settledOrder < this.#firstNewOrder) this.#moveBehind(first.settledOrder, onSkipped);
    return first.tell;
  }

  /** Steps that history has and the workflow has not called. */
  get uncalled(): readonly SettledStep[] {
    const asked = new Set(this.#waiting.map(({ settledOrder }) => settledOrder));
    return this.#toTell(this.#position, this.#recorded.length).filter(
      ({ settledOrder }) => !asked.has(settledOrder),
    );
  }

  /** Moves behind a step of history, over what was not called; not for one that was passed over before. */
  #moveBehind(order: number, onSkipped: (skipped: readonly SettledStep[]) => void): void {
    const from = this.#position;
    while (this.#orderHere < order) this.#position += 1;
    const skipped = this.#position > from ? this.#toTell(from, this.#position) : [];
    if (skipped.length > 0) onSkipped(skipped);
    if (this.#orderHere === order) this.#position += 1;
  }

  get #orderHere(): number {
    return this.#recorded[this.#position]?.settledOrder ?? Infinity;
  }

  #toTell(from: number, to: number): readonly SettledStep[] {
    const steps = this.#recorded.slice(from, to);
    const untold = this.#untold;
    return untold === null ? steps : steps.filter(({ settledOrder }) => !untold.has(settledOrder));
  }
}

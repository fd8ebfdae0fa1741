/**
 * Tells author code the outcomes of its steps one at a time, in the order in which they settled, on every replay as the first
 * time. The caller lets author code go as far as it can between two outcomes. So a race always has the same winner, whatever
 * has happened meanwhile.
 */
import type { EpochMs, Settlement, SettledStep } from "../core/model/records.ts";
import type { RunClock } from "./run-clock.ts";

interface Waiting {
  /** A reference: a copy of an instant is one more object on the heap. */
  readonly of: Settlement;
  readonly tell: () => void;
}

export class ReplayOrder {
  /** Settled steps of the history, by order. */
  readonly #recorded: readonly SettledStep[];
  /** The index in `#recorded` of the first step that has not been told or passed over. */
  #position = 0;
  /** Outcomes that author code waits for, by settled order. Usually there is one, and usually they are requested in order. */
  readonly #waiting: Waiting[] = [];
  readonly #firstNewOrder: number;
  #nextOrder: number;
  /** Settled orders in the history that author code is not told; null: there are none. */
  #untold: Set<number> | null = null;
  /** The highest order of an outcome that author code has been told; 0: none. */
  toldOrder = 0;
  /** A step with this order is being committed, and later ones wait for it. Infinity: none. */
  #heldAt = Infinity;
  readonly #clock: RunClock;

  constructor(settled: readonly SettledStep[], nextOrder: number, clock: RunClock) {
    this.#clock = clock;
    this.#recorded = settled;
    this.#firstNewOrder = nextOrder;
    this.#nextOrder = nextOrder;
  }

  /** Allocates the order and the time of a step that settles now for the first time. @param notBefore the earliest possible time */
  allocate(notBefore: EpochMs = 0): Settlement {
    const settledOrder = this.#nextOrder;
    this.#nextOrder += 1;
    return { settledOrder, updatedAt: this.#clock.settle(notBefore) };
  }

  /** Adds an outcome that author code waits for. */
  add(of: Settlement, tell: () => void): void {
    const waiting = this.#waiting;
    const index = this.#indexOf(of.settledOrder);
    // Nearly always the last place, and `splice` makes an array each time.
    if (index === waiting.length) waiting.push({ of, tell });
    else waiting.splice(index, 0, { of, tell });
  }

  /** Whether author code waits for the outcome with this order. */
  isWaiting(order: number): boolean {
    return this.#waiting[this.#indexOf(order)]?.of.settledOrder === order;
  }

  /** The index of the first waiting outcome with this order or a later one. A wide map waits for thousands. */
  #indexOf(order: number): number {
    let from = 0;
    for (let to = this.#waiting.length; from < to;) {
      const middle = (from + to) >>> 1;
      if ((this.#waiting[middle] as Waiting).of.settledOrder < order) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Whether the history has the outcome with this order, and the replay has not come that far yet. */
  isAhead(order: number): boolean {
    return order >= this.#orderHere && order < this.#firstNewOrder;
  }

  /** Passes over a step of the history that has nothing to tell. */
  passOver(order: number): void {
    if (this.isAhead(order)) (this.#untold ??= new Set()).add(order);
  }

  /** Whether the history continues with a step that author code has not called. @param isCalled also true for steps that it waits for in other ways */
  hasUncalled(isCalled: (stepKey: string) => boolean): boolean {
    return this.uncalled.some(({ stepKey }) => !isCalled(stepKey));
  }

  /** Holds back outcomes after `order`. Call it with Infinity to release them. */
  hold(order: number): void {
    this.#heldAt = order;
  }

  /** Whether the next outcome comes from the history. */
  get isReplaying(): boolean {
    const [first] = this.#waiting;
    return first !== undefined && first.of.settledOrder < this.#firstNewOrder;
  }

  /**
   * Takes the next outcome to tell; null: there is none. Call it only when author code has made all the calls that it can.
   * Steps before the next outcome that are still missing were not called, and `onSkipped` gets them.
   */
  next(onSkipped: (skipped: readonly SettledStep[]) => void): (() => void) | null {
    const [first] = this.#waiting;
    if (first === undefined || first.of.settledOrder > this.#heldAt) return null;
    this.#waiting.shift();
    const { settledOrder, updatedAt } = first.of;
    this.#clock.tell(updatedAt);
    this.toldOrder = Math.max(this.toldOrder, settledOrder);
    if (settledOrder < this.#firstNewOrder) this.#moveBehind(settledOrder, onSkipped);
    return first.tell;
  }

  /** Steps in the history that the workflow has not called. */
  get uncalled(): readonly SettledStep[] {
    const asked = new Set(this.#waiting.map(({ of }) => of.settledOrder));
    return this.#toTell(this.#position, this.#recorded.length).filter(
      ({ settledOrder }) => !asked.has(settledOrder),
    );
  }

  /** Moves past a step of the history and over steps that were not called. Not for a step that was passed over before. */
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

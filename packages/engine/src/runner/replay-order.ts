/**
 * Settles calls of steps in the order in which the steps were settled the first time.
 *
 * That makes `Promise.race` and branches take the same way on every replay, however many waits have meanwhile come true.
 */
import type { SettledStep } from "../core/model/records.ts";

export class ReplayOrder {
  /** Settled steps of the history that no call has asked for yet, by order. */
  readonly #recorded: readonly SettledStep[];
  /** Index in `#recorded` of the next to settle; its length: history is used up. */
  #position = 0;
  /** Calls that came before their turn. */
  readonly #early = new Map<number, () => void>();
  #nextOrder: number;
  /** A step of this order is being committed: later ones wait for it. Infinity: none is. */
  #heldAt = Infinity;

  constructor(settled: readonly SettledStep[], nextOrder: number) {
    this.#recorded = settled;
    this.#nextOrder = nextOrder;
  }

  /** The order of a step that settles now for the first time. */
  allocate(): number {
    const order = this.#nextOrder;
    this.#nextOrder += 1;
    return order;
  }

  /** Calls `settle` at once if it is the order's turn (or its turn is past), else when its turn comes. */
  settleInTurn(order: number, settle: () => void): void {
    if (order > this.#turn()) {
      this.#early.set(order, settle);
      return;
    }
    settle();
    if (order === this.#recordedTurn) this.#advance();
  }

  /** Settles no call above `order`, until it is released by Infinity. */
  hold(order: number): void {
    this.#heldAt = order;
    this.#settleEarly();
  }

  /** Calls wait for a step that the workflow has not called: it was renamed or removed. */
  get isStalled(): boolean {
    return this.#early.size > 0;
  }

  /** Steps that history has and the workflow did not call before what it waits for now; they are passed over. */
  skip(): readonly SettledStep[] {
    const nextCalled = Math.min(...this.#early.keys());
    const skipped: SettledStep[] = [];
    for (
      let step = this.#recorded[this.#position];
      step !== undefined;
      step = this.#recorded[this.#position]
    ) {
      if ((step.settledOrder ?? 0) >= nextCalled) break;
      skipped.push(step);
      this.#position += 1;
    }
    this.#settleEarly();
    return skipped;
  }

  /** Steps that history has and the workflow never called. */
  get uncalled(): readonly SettledStep[] {
    return this.#recorded.slice(this.#position);
  }

  get #recordedTurn(): number | undefined {
    return this.#recorded[this.#position]?.settledOrder;
  }

  #turn(): number {
    return this.#recordedTurn ?? this.#heldAt;
  }

  #advance(): void {
    this.#position += 1;
    this.#settleEarly();
  }

  #settleEarly(): void {
    while (this.#early.size > 0) {
      const order = Math.min(this.#turn(), ...this.#early.keys());
      const settle = this.#early.get(order);
      if (settle === undefined) return;
      this.#early.delete(order);
      settle();
      if (order === this.#recordedTurn) this.#position += 1;
    }
  }
}

/** Calls whose outcome comes with their call: a place that has made some and does not await them ends once they are settled. */
import type { Place } from "./place.ts";

interface ToldCall {
  readonly isOver: Promise<void>;
  readonly end: () => void;
}

export class ToldCalls {
  /** Those that are open, by the place of their call and by each around it. */
  readonly #open = new Map<Place, Set<ToldCall>>();

  /** @param outcome what author code is told */
  add(place: Place, outcome: Promise<unknown>): void {
    let end = (): void => {};
    const isOver = new Promise<void>((resolve) => (end = resolve));
    const call: ToldCall = { isOver, end: () => (this.#delete(place, call), end()) };
    for (const own of place.outward()) {
      const calls = this.#open.get(own) ?? new Set();
      this.#open.set(own, calls.add(call));
    }
    void outcome.then(call.end, call.end);
  }

  /** What a function comes to, once what was told at its place and inside it by its end is settled. */
  async endOf(place: Place, run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } finally {
      // Most have none, and end in the turn that they return in.
      for (const { isOver } of this.#within(place)) await isOver;
    }
  }

  /** A place has ended: nobody is told more of what was called there. */
  leave(place: Place): void {
    for (const call of this.#within(place)) call.end();
  }

  #within(place: Place): readonly ToldCall[] {
    return [...(this.#open.get(place) ?? [])];
  }

  #delete(place: Place, call: ToldCall): void {
    for (const own of place.outward()) {
      const calls = this.#open.get(own);
      if (calls?.delete(call) === true && calls.size === 0) this.#open.delete(own);
    }
  }
}

/** Calls whose outcome comes with the call, such as `progress`. A place that does not await them ends only when they are settled. */
import type { Place } from "./place.ts";

interface ToldCall {
  readonly isOver: Promise<void>;
  readonly end: () => void;
}

export class ToldCalls {
  /** Those that are open, by the place of their call and by each around it. */
  readonly #open = new Map<Place, Set<ToldCall>>();

  /** @param outcome what author code gets */
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

  /** Runs a function, and returns its result when the calls that it made, at its place and inside it, are settled. */
  async endOf(place: Place, run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } finally {
      // Most have none, and end in the turn that they return in.
      for (const { isOver } of this.#within(place)) await isOver;
    }
  }

  /** A place has ended: its calls get no outcome any more. */
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

/** @module Runs at most so many calls at once; later calls wait for a place, in order. */

export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce at least 1 */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Calls `act` when there is a place for it; settles like it. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      this.#passOn();
    }
  }

  // A free place goes to the next in the queue at once, so that no new call gets ahead of it.
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** @module At most so many at once; who comes later waits for a place, in order. */

export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce 1 or more */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Calls `act` when there is a place for it; settles as it does. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      this.#passOn();
    }
  }

  // A place goes to the next in line at once, so that nobody who comes meanwhile gets ahead.
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

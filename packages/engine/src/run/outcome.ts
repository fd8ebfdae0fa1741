/** The outcome of a call, which author code awaits. */
import type { Receiver } from "./call.ts";
import type { Place } from "./place.ts";

/** Told at most once, and never if the place of the call has ended meanwhile. A call made after that end is refused. */
export class Outcome implements Receiver {
  readonly promise: Promise<unknown>;
  readonly place: Place;
  readonly #isLate: boolean;
  #resolve!: Receiver["resolve"];
  #reject!: Receiver["reject"];

  constructor(place: Place) {
    this.place = place;
    this.#isLate = place.hasEnded;
    place.calls += 1;
    place.waiting += 1;
    this.promise = new Promise((resolve, fail) => {
      this.#resolve = resolve;
      this.#reject = fail;
    });
  }

  resolve(value: unknown): void {
    if (this.#isTold()) this.#resolve(value);
  }

  reject(error: unknown): void {
    if (!this.#isTold()) return;
    void unlinked(this.promise);
    this.#reject(error);
  }

  /** Takes the outcome of another call. */
  follow(promise: Promise<unknown>): void {
    promise.then(
      (value) => this.resolve(value),
      (error: unknown) => this.reject(error),
    );
  }

  #isTold(): boolean {
    this.place.waiting -= 1;
    return this.#isLate || !this.place.hasEnded;
  }
}

/** A step that loses a race or that nobody awaits must not end the process when it rejects. */
export function unlinked<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

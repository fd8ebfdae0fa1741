/** Of the model: code that has come to its end, and is over once what it has told is settled. */
import type { Pending } from "./model-state.ts";
import type { Leaf } from "./program.ts";

/** Their outcome comes with their call. */
const TELLS: ReadonlySet<Leaf["kind"]> = new Set(["emit", "progress"]);

interface Closing {
  readonly prefix: string;
  readonly keys: Set<string>;
  readonly over: () => void;
}

export class Closings {
  #closings: readonly Closing[] = [];

  /**
   * Code at a place has come to its end. It is over once what was called there, or inside it, and only tells has settled. Scopes that it
   * calls in its last turn do not begin before.
   *
   * @param prefix what keys of the place begin with
   * @param turn outcomes that author code was told so far
   */
  close(
    pending: ReadonlyMap<string, Pending>,
    { prefix, turn }: Pick<Pending, "prefix" | "turn">,
    over: () => void,
  ): void {
    const told = [...pending].filter(
      ([key, call]) =>
        TELLS.has(call.leaf.kind) &&
        (call.prefix === prefix || (key.startsWith(prefix) && call.turn < turn)),
    );
    if (told.length === 0) return over();
    this.#closings = [...this.#closings, { prefix, keys: new Set(told.map(([key]) => key)), over }];
  }

  settled(key: string): void {
    this.#forget((own) => own === key);
  }

  /** A branch is left, with all that is inside it. */
  leave(isInside: (keyOrPrefix: string) => boolean): void {
    this.#closings = this.#closings.filter(({ prefix }) => !isInside(prefix));
    this.#forget(isInside);
  }

  /** Nobody waits any more for what has these keys. */
  #forget(isIt: (key: string) => boolean): void {
    for (const { keys } of this.#closings)
      for (const key of [...keys].filter(isIt)) keys.delete(key);
    const over = this.#closings.filter(({ keys }) => keys.size === 0);
    this.#closings = this.#closings.filter(({ keys }) => keys.size > 0);
    for (const one of over) one.over();
  }
}

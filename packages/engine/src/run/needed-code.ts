/** Code that a session needs before it goes on: it is loaded once in a process, when a run first comes to need it. */
import type { Late } from "../core/late.ts";

interface Going {
  /** What was asked for is done: author code may have been told something. */
  readonly authorActed: () => void;
  /** The code cannot be loaded, as after a deploy that took the file away. */
  readonly missing: (error: unknown) => void;
  /** What the code did threw, which it should not. */
  readonly broke: (error: unknown) => void;
}

export class NeededCode {
  readonly #going: Going;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(going: Going) {
    this.#going = going;
  }

  /** false: code is being loaded. Nothing is told or decided meanwhile, so that it makes no difference whether it was there. */
  get isReady(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Goes on with code: now where it is there, else once it is, in the order in which it was asked for.
   *
   * @param orElse what is to be done where it cannot be loaded, before the run is left
   */
  with<T extends object>(code: Late<T>, goOn: (code: T) => void, orElse?: () => void): void {
    const loaded = code();
    if (this.isReady && !(loaded instanceof Promise)) return goOn(loaded);
    const toGoOn = Promise.resolve(loaded).then(
      (there) => () => goOn(there),
      (error: unknown) => () => {
        orElse?.();
        this.#going.missing(error);
      },
    );
    this.#goOnAfter(toGoOn);
  }

  /** Code that is there; null: it is being loaded, and the session's turn comes again once it is. */
  now<T extends object>(code: Late<T>): T | null {
    let there: T | null = null;
    this.with(code, (loaded) => {
      there = loaded;
    });
    return there;
  }

  /** Goes on behind what was asked for before: at once where nothing is being loaded. */
  inTurn(goOn: () => void): void {
    if (this.isReady) goOn();
    else this.#goOnAfter(Promise.resolve(goOn));
  }

  #goOnAfter(toGoOn: Promise<() => void>): void {
    this.#waiting += 1;
    this.#last = this.#last
      .then(() => toGoOn)
      .then((goOn) => goOn())
      .catch(this.#going.broke)
      .finally(() => {
        this.#waiting -= 1;
        this.#going.authorActed();
      });
  }
}

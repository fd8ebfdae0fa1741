/** Loads code that a session needs before it can continue. Each piece is loaded once per process, when a run first needs it. */
import type { Late } from "../core/late.ts";

interface Going {
  /** Called when the code has run: author code may have been told something. */
  readonly authorActed: () => void;
  /** Called if the code cannot be loaded, for example because a deploy removed its file. */
  readonly missing: (error: unknown) => void;
  /** Called if the code threw, which it should not. */
  readonly broke: (error: unknown) => void;
}

export class NeededCode {
  readonly #going: Going;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(going: Going) {
    this.#going = going;
  }

  /** false: code is being loaded. Nothing is told or decided meanwhile, so it makes no difference whether it was loaded before. */
  get isReady(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Continues with code: now if it is loaded, or else when it is. Requests are served in order.
   *
   * @param orElse called if the code cannot be loaded, before the run is left
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

  /** Returns code if it is loaded; null: it is being loaded, and the session gets another turn afterwards. */
  now<T extends object>(code: Late<T>): T | null {
    let there: T | null = null;
    this.with(code, (loaded) => {
      there = loaded;
    });
    return there;
  }

  /** Continues after all earlier requests; at once if nothing is being loaded. */
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

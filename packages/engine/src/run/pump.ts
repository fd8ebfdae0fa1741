/** Takes turns between author code and its session. */
import type { Host } from "../ports/host.ts";

export interface PumpActs {
  /** Takes out what author code is told next; null: nothing. */
  readonly next: () => (() => void) | null;
  /** Author code waits, and there is nothing to tell it: what now? */
  readonly act: () => void;
  /** One of these threw, which none of them should. */
  readonly broke: (error: unknown) => void;
}

export class Pump {
  readonly #host: Pick<Host, "afterTurn">;
  readonly #acts: PumpActs;
  #isRunning = false;
  /** Author code may still be on its way: what it will call in this turn is not known yet. */
  #isAuthorActive = false;

  constructor(host: Pick<Host, "afterTurn">, acts: PumpActs) {
    this.#host = host;
    this.#acts = acts;
  }

  /** Author code has gone as far as it can, and has been told nothing since. */
  get isAuthorWaiting(): boolean {
    return !this.#isAuthorActive;
  }

  /** Author code has called something, or has come to its end. */
  authorActs(): void {
    this.#isAuthorActive = true;
    this.schedule();
  }

  /** Something is to be told, or decided. Author code that waits is told at once, and has the turn to its end to act on it. */
  schedule(): void {
    if (!this.#isAuthorActive) this.#tellNext();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#host.afterTurn(this.#turned);
  }

  #tellNext(): void {
    const tell = this.#acts.next();
    this.#isAuthorActive = tell !== null;
    tell?.();
  }

  /** A turn lies between two outcomes, and before anything is decided: what ends in one turn is decided together. */
  readonly #turned = (): void => {
    try {
      this.#turn();
    } catch (error) {
      this.#acts.broke(error);
    }
  };

  #turn(): void {
    this.#tellNext();
    if (this.#isAuthorActive) return this.#host.afterTurn(this.#turned);
    this.#isRunning = false;
    this.#acts.act();
  }
}

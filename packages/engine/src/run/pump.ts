/** Lets author code and its session take turns. */
import type { Host } from "../ports/host.ts";

export interface PumpActs {
  /** Takes the next outcome to tell author code; null: there is none. */
  readonly next: () => (() => void) | null;
  /** Called when author code waits and there is nothing to tell it. */
  readonly act: () => void;
  /** Called if one of these threw, which none of them should. */
  readonly broke: (error: unknown) => void;
}

export class Pump {
  readonly #host: Pick<Host, "afterTurn">;
  readonly #acts: PumpActs;
  #isRunning = false;
  /** Author code may still be running: what it will call in this turn is not known yet. */
  #isAuthorActive = false;

  constructor(host: Pick<Host, "afterTurn">, acts: PumpActs) {
    this.#host = host;
    this.#acts = acts;
  }

  /** Author code has gone as far as it can, and has been told nothing new since. */
  get isAuthorWaiting(): boolean {
    return !this.#isAuthorActive;
  }

  /** Called when author code has called something or has ended. */
  authorActs(): void {
    this.#isAuthorActive = true;
    this.schedule();
  }

  /** Call it when something is to be told or decided. If author code waits, it is told at once, and has the rest of the turn to react. */
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

  /** There is a turn between two outcomes, and one before decisions, so that everything that ends in one turn is decided together. */
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

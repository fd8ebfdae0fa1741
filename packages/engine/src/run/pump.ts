/** Takes turns between author code and its session. */
import type { Host } from "../ports/host.ts";

export interface PumpParts {
  readonly host: Pick<Host, "afterTurn">;
  /** Takes out what author code is told next; null: nothing. */
  readonly next: () => (() => void) | null;
  /** Author code waits, and there is nothing to tell it: what now? */
  readonly act: () => void;
}

export class Pump {
  readonly #parts: PumpParts;
  #isRunning = false;
  /** Author code may still be on its way: what it will call in this turn is not known yet. */
  #isAuthorActive = false;

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  /** Author code has called something, or has come to its end. */
  authorActs(): void {
    this.#isAuthorActive = true;
    this.schedule();
  }

  /** Something is to be told, or decided. */
  schedule(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    if (!this.#isAuthorActive) this.#parts.next()?.();
    this.#parts.host.afterTurn(this.#turned);
  }

  /** A turn lies between two outcomes, and before anything is decided: what ends in one turn is decided together. */
  readonly #turned = (): void => {
    const tell = this.#parts.next();
    if (tell !== null) {
      tell();
      return this.#parts.host.afterTurn(this.#turned);
    }
    this.#isAuthorActive = false;
    this.#isRunning = false;
    this.#parts.act();
  };
}

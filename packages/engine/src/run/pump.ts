/** Takes turns between author code and its session. */
import type { Host } from "../ports/host.ts";

export interface PumpParts {
  readonly host: Pick<Host, "turn">;
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
    void this.#run();
  }

  /** A turn lies between two outcomes, and before anything is decided: what ends in one turn is decided together. */
  async #run(): Promise<void> {
    const { host, next, act } = this.#parts;
    let hasTurned = false;
    for (;;) {
      const tell = hasTurned || !this.#isAuthorActive ? next() : null;
      if (tell === null && hasTurned) break;
      tell?.();
      await host.turn();
      hasTurned = true;
    }
    this.#isAuthorActive = false;
    this.#isRunning = false;
    act();
  }
}

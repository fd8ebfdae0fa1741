/** Limits how many runs a process advances at once. */
import type { DurationMs } from "../core/model/records.ts";

/** A slot that a run holds for longer than this did not become free quickly. */
export const QUICK_MS: DurationMs = 100;

/** The default number of slots; up to four times as many while runs leave their slots quickly. */
const FEWEST = 32;
const MOST = 128;

/**
 * Runs that leave their slots quickly mostly wait for the database, so more of them at once can share its trips. Runs that stay
 * longer compute, or call services that did not ask for more calls.
 */
export class SlotLimit {
  readonly #isFixed: boolean;
  #count: number;

  /** @param fixed null: adapt the number */
  constructor(fixed: number | null) {
    this.#isFixed = fixed !== null;
    this.#count = fixed ?? FEWEST;
  }

  get count(): number {
    return this.#count;
  }

  /** @param heldMs how long a run has held its slot @param wasFull no other slot was free */
  noteFreed(heldMs: DurationMs, wasFull: boolean): void {
    if (this.#isFixed) return;
    if (heldMs > QUICK_MS) this.#count = Math.max(FEWEST, this.#count - 1);
    else if (wasFull) this.#count = Math.min(MOST, this.#count + 1);
  }
}

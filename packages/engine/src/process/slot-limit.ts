/** How many runs a process advances at once. */
import type { DurationMs } from "../core/model/records.ts";

/** Slots that runs take longer do not come free quickly. */
export const QUICK_MS: DurationMs = 100;

/** Where nobody says how many: these, and up to four times as many while runs leave their slots quickly. */
const FEWEST = 32;
const MOST = 128;

/**
 * Runs that leave their slots quickly wait for the database more than they compute: more of them at once share its trips.
 * Runs that stay are at work, or call others who have not asked for more of them.
 */
export class SlotLimit {
  readonly #isFixed: boolean;
  #count: number;

  /** @param fixed null: as many as do well */
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

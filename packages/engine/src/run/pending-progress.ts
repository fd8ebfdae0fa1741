/** Progress entries that a session has not committed yet. */
import type { ProgressMade } from "../core/model/change.ts";

/** With this many characters, a session commits without waiting for more. */
const DUE_SIZE = 65_536;
/** With this many uncommitted entries, whoever reports more has to wait. */
const MOST_ENTRIES = 1000;
const MOST_SIZE = 1_048_576;

export class PendingProgress {
  #entries: ProgressMade[] = [];
  /** Characters of their values. */
  #size = 0;
  #onRoom: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** They are to be committed now. */
  get isDue(): boolean {
    return this.#size >= DUE_SIZE || this.#entries.length >= MOST_ENTRIES;
  }

  add(entry: ProgressMade): void {
    this.#entries.push(entry);
    this.#size += entry.value.length;
  }

  /** Takes entries to commit. @param recorded the steps whose bodies' entries to take; null: all */
  take(recorded: { has(stepKey: string): boolean } | null): readonly ProgressMade[] {
    const taken: ProgressMade[] = [];
    const kept: ProgressMade[] = [];
    for (const entry of this.#entries) {
      const mayGo = entry.attempt === null || recorded === null || recorded.has(entry.stepKey);
      (mayGo ? taken : kept).push(entry);
    }
    this.#entries = kept;
    this.#size = sizeOf(kept);
    if (this.#hasRoom) this.end();
    return taken;
  }

  /** Takes back what was not committed after all. */
  restore(entries: readonly ProgressMade[]): void {
    this.#entries.unshift(...entries);
    this.#size += sizeOf(entries);
  }

  /** Resolves when more entries may be reported. */
  whenRoom(): Promise<void> {
    return this.#hasRoom ? DONE : new Promise((resolve) => void this.#onRoom.push(resolve));
  }

  /** Releases everybody who waits. */
  end(): void {
    for (const tell of this.#onRoom.splice(0)) tell();
  }

  get #hasRoom(): boolean {
    return this.#entries.length < MOST_ENTRIES && this.#size < MOST_SIZE;
  }
}

const sizeOf = (entries: readonly ProgressMade[]): number =>
  entries.reduce((size, { value }) => size + value.length, 0);

const DONE = Promise.resolve();

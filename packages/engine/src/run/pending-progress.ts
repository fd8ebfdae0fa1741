/** Entries of progress that a session has not committed. */
import type { ProgressMade } from "../core/model/change.ts";

/** Characters that are committed without waiting for more. */
const DUE_SIZE = 65_536;
/** What may wait before whoever tells more has to wait. */
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

  /** Takes them to be committed. @param recorded of what bodies told, only that of these steps; null: of all */
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

  /** Resolves once more may be told. */
  whenRoom(): Promise<void> {
    return this.#hasRoom ? DONE : new Promise((resolve) => void this.#onRoom.push(resolve));
  }

  /** Nobody waits any more. */
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

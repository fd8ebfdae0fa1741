/** Progress entries that a session has not committed yet. */
import type { ProgressMade } from "../core/model/change.ts";
import type { DurationMs } from "../core/model/records.ts";
import type { Host } from "../ports/host.ts";

/** With this many characters, a session commits without waiting for more. */
const DUE_SIZE = 65_536;
/** With this many uncommitted entries, whoever reports more has to wait. */
const MOST_ENTRIES = 1000;
const MOST_SIZE = 1_048_576;

/** How long they may stay uncommitted while a body runs. */
const FLUSH_MS: DurationMs = 200;

export class PendingProgress {
  #entries: ProgressMade[] = [];
  /** Characters of their values. */
  #size = 0;
  #onRoom: (() => void)[] = [];
  #stopFlush: (() => void) | null = null;

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

  /** If there are entries, calls back once to commit them, `FLUSH_MS` after the first request since the last commit. */
  flushSoon(host: Pick<Host, "setTimer">, flush: () => void): void {
    if (this.isEmpty) return;
    this.#stopFlush ??= host.setTimer(FLUSH_MS, () => {
      this.#stopFlush = null;
      flush();
    });
  }

  /** Takes entries to commit. @param recorded the steps whose bodies' entries to take; null: all */
  take(recorded: { has(stepKey: string): boolean } | null): readonly ProgressMade[] {
    this.#stopTimer();
    const taken: ProgressMade[] = [];
    const kept: ProgressMade[] = [];
    for (const entry of this.#entries) {
      const mayGo = entry.attempt === null || recorded === null || recorded.has(entry.stepKey);
      (mayGo ? taken : kept).push(entry);
    }
    this.#entries = kept;
    this.#size = sizeOf(kept);
    if (this.#hasRoom) this.#tellRoom();
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

  /** Nothing is committed any more. Releases everybody who waits. */
  end(): void {
    this.#stopTimer();
    this.#tellRoom();
  }

  #stopTimer(): void {
    this.#stopFlush?.();
    this.#stopFlush = null;
  }

  #tellRoom(): void {
    for (const tell of this.#onRoom.splice(0)) tell();
  }

  get #hasRoom(): boolean {
    return this.#entries.length < MOST_ENTRIES && this.#size < MOST_SIZE;
  }
}

const sizeOf = (entries: readonly ProgressMade[]): number =>
  entries.reduce((size, { value }) => size + value.length, 0);

const DONE = Promise.resolve();

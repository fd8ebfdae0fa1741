/** Keeps logs short: a repeated message is logged at once, then at most once a minute. */
import type { DurationMs } from "./model/records.ts";

const PERIOD_MS: DurationMs = 60_000;
/** How many kinds are counted separately; all others share one counter. */
const MAX_KINDS = 100;

interface Kind {
  readonly loggedAtMs: number;
  /** How often it occurred since it was last logged. */
  readonly repeatedCount: number;
}

export class Repeats {
  readonly #kinds = new Map<string, Kind>();

  /**
   * Notes an occurrence of what is to be logged.
   *
   * @param nowMs by any clock, as long as it is always the same one
   * @returns the fields to log, with the number of occurrences that were not logged as `repeated`; null: log nothing now
   */
  tell(
    kind: string,
    nowMs: number,
    fields: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>> | null {
    const name = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : "";
    const before = this.#kinds.get(name);
    // A clock that was set back must not silence it.
    if (before !== undefined && Math.abs(nowMs - before.loggedAtMs) < PERIOD_MS) {
      this.#kinds.set(name, { ...before, repeatedCount: before.repeatedCount + 1 });
      return null;
    }
    this.#kinds.set(name, { loggedAtMs: nowMs, repeatedCount: 0 });
    const repeated = before?.repeatedCount ?? 0;
    return repeated === 0 ? fields : { ...fields, repeated };
  }
}

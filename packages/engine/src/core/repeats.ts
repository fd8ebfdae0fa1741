/** Keeps logs short: what repeats is told at once, then at most once a minute. */
import type { DurationMs } from "./model/records.ts";

const PERIOD_MS: DurationMs = 60_000;
/** Kinds told apart; what is beyond them shares one. */
const MAX_KINDS = 100;

interface Kind {
  readonly toldAtMs: number;
  /** Times it came since it was told. */
  readonly untold: number;
}

export class Repeats {
  readonly #kinds = new Map<string, Kind>();

  /**
   * Notes that something is to be told.
   *
   * @param nowMs by any clock, always the same
   * @returns what to tell, with the number of times that it came untold as `repeated`; null: nothing now
   */
  tell(
    kind: string,
    nowMs: number,
    fields: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>> | null {
    const name = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : "";
    const before = this.#kinds.get(name);
    // A clock that was set back would keep it silent.
    if (before !== undefined && Math.abs(nowMs - before.toldAtMs) < PERIOD_MS) {
      this.#kinds.set(name, { ...before, untold: before.untold + 1 });
      return null;
    }
    this.#kinds.set(name, { toldAtMs: nowMs, untold: 0 });
    const repeated = before?.untold ?? 0;
    return repeated === 0 ? fields : { ...fields, repeated };
  }
}

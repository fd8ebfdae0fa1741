/** `Date` and `Math.random` of a process that may have died: what it reads of them differs from one life to the next. */
import type { EpochMs } from "../../core/model/records.ts";
import { createRandom } from "../random.ts";

/** What clock and chance depend on. */
export interface Life {
  /** Virtual time. */
  now(): EpochMs;
  /** Counted from 0; the next one begins with a crash. */
  readonly life: number;
}

/** A day, an hour, a minute, a second and a millisecond: weekday, hour, minute, second and parity are all others. */
const SHIFT_MS = 90_061_001;

/** Steps of chance within its half of [0, 1). */
const CHANCES = 1_000_000;

/**
 * Runs a function while the globals follow virtual time, later by `SHIFT_MS` for each life, and chance is below 0.5 in even
 * lives and not below it in odd ones. The globals are put back whatever happens.
 */
export async function withShiftedGlobals<T>(life: Life, run: () => Promise<T>): Promise<T> {
  const { Date: realDate } = globalThis;
  const realRandom = Math.random;
  const chance = createRandom(1);
  const now = (): EpochMs => life.now() + life.life * SHIFT_MS;
  globalThis.Date = toShiftedDate(realDate, now);
  Math.random = () => ((life.life % 2) * CHANCES + chance.integer(0, CHANCES - 1)) / (2 * CHANCES);
  try {
    return await run();
  } finally {
    globalThis.Date = realDate;
    Math.random = realRandom;
  }
}

/** A proxy, so that a date made before is an instance of it too. */
function toShiftedDate(realDate: DateConstructor, now: () => EpochMs): DateConstructor {
  return new Proxy(realDate, {
    apply: () => new realDate(now()).toString(),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}

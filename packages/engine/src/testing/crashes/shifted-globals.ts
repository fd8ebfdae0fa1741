/** `Date` and `Math.random` of a process that may have died: their values differ from one process to the next. */
import type { EpochMs } from "../../core/model/records.ts";
import { createRandom } from "../random.ts";

/** The inputs of clock and chance. */
export interface Life {
  /** Virtual time. */
  now(): EpochMs;
  /** The number of the process, from 0; each crash begins the next. */
  readonly life: number;
}

/** A day, an hour, a minute, a second and a millisecond, so that weekday, hour, minute, second and parity all differ. */
const SHIFT_MS = 90_061_001;

/** The number of different values in each half of [0, 1). */
const CHANCES = 1_000_000;

/**
 * Runs a function while `Date` follows virtual time, later by `SHIFT_MS` for each life, and `Math.random` returns less than 0.5 in even
 * lives and at least 0.5 in odd ones. The globals are always restored.
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

/** A proxy, so that dates created before are instances of it too. */
function toShiftedDate(realDate: DateConstructor, now: () => EpochMs): DateConstructor {
  return new Proxy(realDate, {
    apply: () => new realDate(now()).toString(),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}

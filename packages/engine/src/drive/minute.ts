/** Whole minutes of the process clock: what a cron that fires each minute is due to do. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

const MINUTE_MS = 60_000;

/** First instant of the next minute, in epoch milliseconds. */
export const nextMinuteAt = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;

/** Milliseconds to wait at least for work that a tick has just found not to be had. */
const RECHECK_MS = 250;

/**
 * When to look again for work that comes due in `dueInMs`, if that is inside the minute of `now`; null: the next minute's
 * tick is in time.
 */
export function lookAhead(dueInMs: DurationMs, now: EpochMs): EpochMs | null {
  const at = now + (dueInMs > 0 ? dueInMs : RECHECK_MS);
  return at < nextMinuteAt(now) ? at : null;
}

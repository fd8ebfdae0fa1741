/** Whole minutes of the process's clock, for crons that fire each minute. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

const MINUTE_MS = 60_000;

/** The start of the next minute, in epoch milliseconds. */
export const nextMinuteAt = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;

/** How long to wait at least for due work that a tick could not get, in milliseconds. */
const RECHECK_MS = 250;

/**
 * When to look again for work that comes due in `dueInMs`, if that is inside the minute of `now`; null: the next minute's
 * tick is in time.
 */
export function checkAgainAt(dueInMs: DurationMs, now: EpochMs): EpochMs | null {
  const at = now + (dueInMs > 0 ? dueInMs : RECHECK_MS);
  return at < nextMinuteAt(now) ? at : null;
}

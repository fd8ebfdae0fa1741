/** Whole minutes of the process clock: what a cron that fires each minute is due to do. */

const MINUTE_MS = 60_000;

/** First instant of the next minute, in epoch milliseconds. */
export const nextMinuteAt = (now: number): number => (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;

/** Milliseconds to wait at least for an instant that a tick has just found not to be due. */
const RECHECK_MS = 250;

/**
 * When to look again for work that is due at `dueAt`, if that is inside the minute of `now`; null: the next minute's
 * tick is in time.
 *
 * `dueAt` is the database's time. Where that clock is behind ours, its instant has passed here and not there yet: then
 * it is looked for again and again, but in this minute only, however far behind that clock is.
 */
export function lookAhead(dueAt: number, now: number): number | null {
  const at = dueAt > now ? dueAt : now + RECHECK_MS;
  return at < nextMinuteAt(now) ? at : null;
}

/**
 * What takes its turn by the day, because it takes minutes. With ESCAPEMENT_DAY=all, a test run plays all of it, and with
 * ESCAPEMENT_DAY=2026-12-24 what had its turn on that day.
 */
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Days since 1970, in UTC.
 *
 * @throws TypeError for an ESCAPEMENT_DAY that is neither `all` nor a date
 */
export function today(): number {
  const { ESCAPEMENT_DAY: asked = "all" } = process.env;
  if (asked === "all") return Math.floor(Date.now() / DAY_MS);
  const day = DATE.test(asked) ? Date.parse(asked) / DAY_MS : Number.NaN;
  if (Number.isNaN(day))
    throw new TypeError(`ESCAPEMENT_DAY is "all" or a date such as 2026-12-24, not "${asked}"`);
  return day;
}

/**
 * So many of all, and the next ones the next day.
 *
 * @param day another one, for what shall not have its turn on the same day as the rest
 */
export function ofToday<T>(all: readonly T[], count: number, day: number = today()): readonly T[] {
  if (process.env["ESCAPEMENT_DAY"] === "all") return all;
  const turns = Array.from(
    { length: Math.min(count, all.length) },
    (_, turn) => day * count + turn,
  );
  return turns.flatMap((turn) => all.slice(turn % all.length, (turn % all.length) + 1));
}

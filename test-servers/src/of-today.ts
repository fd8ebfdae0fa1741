/** What takes its turn by the day, because it takes minutes. With ESCAPEMENT_DAY=all, a test run plays all of it. */
const DAY_MS = 86_400_000;

/** Days since 1970, in UTC. */
export const today = (): number => Math.floor(Date.now() / DAY_MS);

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

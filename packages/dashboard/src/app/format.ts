/** Times and values as people read them. */

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** Two units at most: `1 h 5 min`, `2.4 s`, `12 ms`. */
export function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const index = UNITS.findIndex(([, size]) => ms >= size);
  const [[unit, size] = ["s", 1000], next] = UNITS.slice(index, index + 2);
  const whole = Math.floor(ms / size);
  const rest = next === undefined ? 0 : Math.floor((ms - whole * size) / next[1]);
  return rest === 0 || next === undefined
    ? `${whole} ${unit}`
    : `${whole} ${unit} ${rest} ${next[0]}`;
}

/** As `toDuration`; empty where it is not known. */
export const toTook = (ms: number | null): string => (ms === null ? "" : toDuration(ms));

/** `in 5 s`, `3 min ago`. */
export function toRelative(at: number, now: number): string {
  return at > now ? `in ${toDuration(at - now)}` : `${toDuration(now - at)} ago`;
}

/** In the reader's zone, to the second. */
export const toInstant = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "undefined";

/** `waitingForPause` as `waiting for pause`. */
export const toWords = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

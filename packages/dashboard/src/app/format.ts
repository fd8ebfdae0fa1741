/** Times and values for readers. */

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

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

/** Like `toDuration`; empty if unknown. */
export const toTook = (ms: number | null): string => (ms === null ? "" : toDuration(ms));

/** `in 5 s`, `3 min ago`: in whole seconds, because it is read some time after it is written. */
export function toRelative(at: number, now: number): string {
  const ms = Math.abs(at - now);
  const toSide = (time: string): string => (at > now ? `in ${time}` : `${time} ago`);
  if (ms < SECOND_MS) return "now";
  if (ms < MINUTE_MS) return toSide(`${Math.floor(ms / SECOND_MS)} s`);
  if (ms < HOUR_MS && at < now) return toSide(`${Math.floor(ms / MINUTE_MS)} min`);
  return toSide(toDuration(ms));
}

/** In the reader's zone, to the second. */
export const toInstant = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "undefined";

/** `waitingForPause` as `waiting for pause`. */
export const toWords = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

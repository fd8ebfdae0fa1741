/** Durations as authors write them. */
import { WorkflowError } from "./errors.ts";
import type { DurationMs } from "./model/records.ts";
import { showValue } from "./show-value.ts";

/** Units written as words, singular or plural. */
const WORD_MS = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
} as const;

const SHORT_MS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
} as const;

type Word = `${keyof typeof WORD_MS}${"" | "s"}`;
type Short = keyof typeof SHORT_MS;

/**
 * Milliseconds, or text such as "10 seconds", "1 hour", "90s", "1 hour 30 minutes", "1h30m".
 *
 * Longer sums and capitals work too, but the compiler does not know them. Text from outside the program is checked when it is used:
 * `config.delay as WorkflowDuration`.
 */
export type WorkflowDuration =
  | number
  | `${number}${"" | " "}${Word | Short}`
  | `${number} ${Word}${" " | ", "}${number} ${Word}`
  | `${number}${Short}${"" | " "}${number}${Short}`;

const PART = /^(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/u;

/**
 * Reads a duration. A month is 30 days and a year 365 days, as on Cloudflare.
 *
 * @param what  name of the option, for the message
 * @returns whole milliseconds, ≥ 0
 * @throws {WorkflowError} INVALID_DURATION — neither a number ≥ 0 nor such a text
 */
export function parseDuration(duration: string | number, what: string): DurationMs {
  const ms = toMs(duration);
  if (ms !== null && Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  const shown = showValue(duration);
  throw new WorkflowError(
    "INVALID_DURATION",
    `${what} is ${shown}; expected milliseconds ≥ 0 or text such as "10 seconds"`,
    { what, duration: shown },
  );
}

// JavaScript callers can pass what the types forbid, such as nothing at all or an object.
const toMs = (duration: unknown): number | null =>
  typeof duration === "number"
    ? duration
    : typeof duration === "string"
      ? sumParts(duration.trim().toLowerCase())
      : null;

function sumParts(text: string): number | null {
  if (text === "") return null;
  let rest = text;
  let totalMs = 0;
  while (rest !== "") {
    const match = PART.exec(rest);
    const unitMs = match === null ? undefined : unitOf(match[2] ?? "");
    if (match === null || unitMs === undefined) return null;
    totalMs += Number(match[1]) * unitMs;
    rest = rest.slice(match[0].length);
  }
  return totalMs;
}

function unitOf(word: string): number | undefined {
  if (isKey(SHORT_MS, word)) return SHORT_MS[word];
  const singular = word.replace(/s$/u, "");
  return isKey(WORD_MS, singular) ? WORD_MS[singular] : undefined;
}

const isKey = <T extends object>(units: T, word: PropertyKey): word is keyof T =>
  Object.hasOwn(units, word);

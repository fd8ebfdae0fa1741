/** Checks the values of options, for callers without types. */
import { DatabaseError } from "./errors.ts";

/** @throws {DatabaseError} DATABASE_OPTIONS_INVALID */
export function assertClientOptions(options: object): void {
  const message = findUnusableOption(options);
  if (message !== null) throw new DatabaseError("DATABASE_OPTIONS_INVALID", message);
}

/**
 * Says which option of a client has a value that no client can use; null: none. Names tell: a time ends in `Ms`, and a callback begins
 * with `on`. It passes over what it does not know.
 */
export function findUnusableOption(options: object): string | null {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const expected = value === undefined ? null : findExpected(name, value);
    if (expected === null) continue;
    const given = typeof value === "string" ? JSON.stringify(value) : String(value);
    return `the option "${name}" is ${given}; expected ${expected}`;
  }
  return null;
}

/** Timers take no more. */
const MAX_MS = 2 ** 31 - 1;
const COUNT = /^max(?:Prepared)?$/;
const SWITCH = /^(?:notify|preparedStatements)$/;
/** Times that have no other value for "no limit" than the greatest. */
const LIMITED = /^(?:connection|busy|resume)TimeoutMs$/;
/** Times that may be 0: not to wait. */
const WAIT = /^(?:busy|resume)TimeoutMs$/;

/** What the value should be; null: it is, or another check is for it. */
function findExpected(name: string, value: unknown): string | null {
  if (COUNT.test(name))
    return Number.isSafeInteger(value) && Number(value) > 0 ? null : "a whole number from 1";
  if (SWITCH.test(name)) return typeof value === "boolean" ? null : "true or false";
  if (/^on[A-Z]/.test(name)) return typeof value === "function" ? null : "a function";
  return name.endsWith("Ms") ? findExpectedTime(name, value) : null;
}

function findExpectedTime(name: string, value: unknown): string | null {
  const isLimited = LIMITED.test(name);
  const isFree = value === null ? !isLimited : value === 0 && WAIT.test(name);
  if (isFree || (typeof value === "number" && value > 0 && value <= MAX_MS)) return null;
  return `milliseconds above 0${isLimited ? "" : ", or null for no limit"}, and at most ${MAX_MS}`;
}

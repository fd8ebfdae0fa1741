/**
 * Parsers of options and arguments. What is wrong is told before anything is asked, under the name that was typed. A test holds their
 * limits to those of the routes.
 */
import { InvalidArgumentError } from "commander";
import { UsageError } from "./errors.ts";

/** @param most none: there is no limit */
export const toCountUpTo =
  (most?: number) =>
  (text: string): number => {
    const count = Number(text);
    if (/^[1-9]\d{0,8}$/.test(text) && count <= (most ?? count)) return count;
    const range = most === undefined ? "of at least 1" : `from 1 to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number ${range}.`);
  };

/** @throws {InvalidArgumentError} not a whole number of at least 1 */
export const toCount: (text: string) => number = toCountUpTo();

/** An option that can be given several times, or once with commas. @throws {InvalidArgumentError} it names nothing */
export function toList(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(",").filter((each) => each !== "");
  if (names.length === 0) throw new InvalidArgumentError("Expected one name at least.");
  return [...before, ...names];
}

/** For help texts too. */
export const STATUSES: readonly string[] = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
  "paused",
  "complete",
  "errored",
  "terminated",
];

/** Like `toList`. @throws {InvalidArgumentError} one is no status */
export function toStatuses(text: string, before?: readonly string[]): readonly string[] {
  const statuses = toList(text, before);
  if (statuses.every((status) => STATUSES.includes(status))) return statuses;
  throw new InvalidArgumentError(`Expected one of ${STATUSES.join(", ")}; several by commas.`);
}

const MOST_CHARACTERS = 256;

/** A text that instances are found by. */
export function toFilter(text: string): string {
  if (text.length >= 1 && text.length <= MOST_CHARACTERS) return text;
  throw new InvalidArgumentError(`Expected a text of 1 to ${MOST_CHARACTERS} characters.`);
}

const ID = /^[a-zA-Z0-9_][a-zA-Z0-9\-_]*$/;

/** An id or a type. How long it may be, each engine says. */
export function toId(text: string): string {
  if (ID.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits, "_" or "-", not starting with "-".');
}

/** The name of a workflow or a topic. Which ones there are, each engine says. */
export function toName(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Expected a name.");
}

/** The key of a step. Which ones there are, each history says. */
export function toStepKey(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Expected the key of a step, as `show` names it.");
}

/** An idempotency key. A header cannot carry any other text. */
export function toKey(text: string): string {
  if (/^[!-~]{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 255 printable ASCII characters without spaces.");
}

/** `workflow/id`; a workflow's name may contain slashes. */
export function toParent(text: string): {
  readonly workflowName: string;
  readonly instanceId: string;
} {
  const at = text.lastIndexOf("/");
  const parent = { workflowName: text.slice(0, Math.max(0, at)), instanceId: text.slice(at + 1) };
  if (at >= 1 && ID.test(parent.instanceId)) return parent;
  throw new InvalidArgumentError("Expected a workflow and an id, as order/o-17.");
}

/** A number of fewer digits is seconds, or an instant that nobody means. */
const INSTANT = /^(?:\d{12,}|\d{4}-\d{2}-\d{2}.*)$/;
const LAST_INSTANT = 8_640_000_000_000_000;

/** Epoch milliseconds of an instant. */
export function toInstant(text: string): number {
  const at = text.includes("-") ? Date.parse(text) : Number(text);
  if (INSTANT.test(text) && at >= 0 && at <= LAST_INSTANT) return at;
  throw new InvalidArgumentError(
    "Expected a time such as 2026-11-27T09:00Z, or epoch milliseconds, from 1970 on.",
  );
}

/** Checks a delay as the engine does. Its parser is loaded for this only. @throws {UsageError} not a duration */
export async function toDelay(text: string): Promise<string> {
  const { parseDuration } = await import("@escapement/engine/internal");
  try {
    parseDuration(text, "--delay");
    return text;
  } catch {
    throw new UsageError(`--delay must be a duration such as "10 minutes", not "${text}"`);
  }
}

/** The failed and lost attempts of a step, as its row keeps them. They are for readers; no decision depends on them. */
import type { EpochMs, JsonText } from "./model/records.ts";

/** How many attempts a row keeps: the most recent ones. */
export const MAX_FAILED_ATTEMPTS = 20;

/** How many characters of an error's name and of its message are kept. */
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 200;

/** An attempt without an outcome. */
export interface FailedAttempt {
  /** From 1, the number that the body was given. It starts at 1 again after a retry or a rewind from outside. */
  readonly attempt: number;
  /** Database time, as the process knew it; null: unknown, for example because the attempt was lost before a commit recorded its start. */
  readonly startedAt: EpochMs | null;
  /** Database time, as the process knew it; null: its end was not seen. */
  readonly endedAt: EpochMs | null;
  /** The process that ran it, by the name that it gives itself; null: unknown. */
  readonly runner: string | null;
  /** The first 100 and 200 characters; null: the attempt was lost, because its process died or had to stop. */
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** Appends an attempt, and drops the oldest if there are too many. */
export function addFailedAttempt(kept: JsonText | null, added: FailedAttempt): JsonText {
  const error = added.error && {
    name: cut(added.error.name, MAX_NAME_LENGTH),
    message: cut(added.error.message, MAX_MESSAGE_LENGTH),
  };
  const all = [...parseFailedAttempts(kept), { ...added, error }];
  return JSON.stringify(all.slice(-MAX_FAILED_ATTEMPTS));
}

/** Oldest first. */
export const parseFailedAttempts = (kept: JsonText | null): readonly FailedAttempt[] =>
  kept === null ? [] : (JSON.parse(kept) as readonly FailedAttempt[]);

/** Cuts at whole characters, because some stores refuse half a surrogate pair. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : Array.from(text).slice(0, maxLength).join("");

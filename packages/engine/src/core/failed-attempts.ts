/** The attempts of a step that failed or were lost, as its row keeps them: for who looks at it, no decision reads them. */
import type { EpochMs, JsonText } from "./model/records.ts";

/** How many of a step's attempts its row keeps: the last ones. */
export const MAX_FAILED_ATTEMPTS = 20;

/** Characters of an error's name and of its message that are kept of an attempt. */
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 200;

/** An attempt that brought no outcome. */
export interface FailedAttempt {
  /** From 1, as its body was told. It begins at 1 again after a retry or a rewind from outside. */
  readonly attempt: number;
  /** Database time as the process knew it; null: not known, as of an attempt that was lost before a commit told of its start. */
  readonly startedAt: EpochMs | null;
  /** The same; null: nobody saw its end. */
  readonly endedAt: EpochMs | null;
  /** The process that ran it, as it calls itself; null: not known. */
  readonly runner: string | null;
  /** The first 100 and 200 characters; null: the attempt was lost, with its process or since that had to stop. */
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** The text with one attempt more, and without the oldest where they are too many. */
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

/** Whole characters: half of one is no text that every store can hold. */
const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : Array.from(text).slice(0, maxLength).join("");

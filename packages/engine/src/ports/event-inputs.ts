/** Inputs for sending an event and for reading its reply. */
import type { DurationMs } from "../core/model/records.ts";
import type { Preconditions } from "./command-options.ts";

/** An event, and what it demands of the instance. */
export interface SendEventInput extends Preconditions {
  readonly type: string;
  readonly payload?: unknown;
  /**
   * Sending the same event with the same id again stores nothing: once per run. Payloads are compared as text: an object with
   * its keys in another order is another one. 1–255 printable ASCII characters. @default none
   */
  readonly eventId?: string;
}

/** How the reply to an event is read. */
export interface GetReplyOptions {
  /** Milliseconds to wait at most until there is a reply. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
  /** The run that the event was sent to. @default the current one */
  readonly runNumber?: number;
}

/** The reply to an event; `answered: false`: there is none yet. */
export interface ReplyOutput {
  readonly answered: boolean;
  /** What workflow code gave `event.reply`. */
  readonly reply?: unknown;
}

/** `--watch`: looks again and again, until the user stops it or the instance ends. */
import { RefusedError } from "../errors.ts";

/** The result of one look. */
export interface Look {
  readonly answer: unknown;
  readonly text: string;
  /** Nothing more will happen to it. */
  readonly hasEnded?: boolean;
}

/** How often to look, and where to show it. */
export interface WatchOptions {
  readonly seconds: number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  show(look: Look): void;
  /** Reports a failed look, and the time until the next. */
  tell(error: RefusedError, waitMs: number): void;
  /** Ends early, without an error, at the signal. */
  wait(milliseconds: number): Promise<void>;
}

/** The longest wait after failed looks, unless `--watch` asks for a longer one. */
const MAX_WAIT_MS = 60_000;

/** Errors that may go away without another command line; tables may have another version during a deploy. */
const HEALS: ReadonlySet<string> = new Set([
  "NO_ANSWER",
  "NOT_THE_API",
  "STORE_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "SCHEMA_MISMATCH",
]);

/** @throws {RefusedError} the first look failed, or a later one with an error that does not go away */
export async function watch(look: () => Promise<Look>, options: WatchOptions): Promise<void> {
  const { seconds, signal, show, tell, wait } = options;
  let hasSeen = false;
  let failures = 0;
  const aborted = toAborted(signal);
  while (!signal.aborted) {
    const found = await Promise.race([tryLook(look), aborted]);
    if (found === null) return;
    if (found instanceof RefusedError) {
      if (!hasSeen || !HEALS.has(found.code)) throw found;
      failures += 1;
    } else {
      show(found);
      if (found.hasEnded === true) return;
      hasSeen = true;
      failures = 0;
    }
    const waitMs = toWaitMs(seconds, failures);
    if (found instanceof RefusedError) tell(found, waitMs);
    await wait(waitMs);
  }
}

async function tryLook(look: () => Promise<Look>): Promise<Look | RefusedError> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
}

const toAborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));

const toWaitMs = (seconds: number, failures: number): number =>
  Math.max(seconds * 1000, Math.min(seconds * 1000 * 2 ** failures, MAX_WAIT_MS));

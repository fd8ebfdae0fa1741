/** Repeats a batch that conflicted with another writer. */
import type { BatchOptions, BatchResult, Conflict, Database, Statement } from "./batch.ts";

/** When to try again. */
export interface RetryOptions {
  /** Total tries, including the first. @default 20; 10 for a busy database, which has already waited by itself @minimum 1 */
  readonly maxTries?: number;
  /** Upper bound of the first wait, doubled with each try, in milliseconds. @default 5 */
  readonly baseDelayMs?: number;
  /** The longest wait, in milliseconds. @default 500 */
  readonly maxDelayMs?: number;
  /** Random number in [0, 1), for jitter. @default Math.random */
  readonly random?: () => number;
  /** For every try. @default {} */
  readonly batch?: BatchOptions;
  /** Waits between tries. @default setTimeout */
  readonly wait?: (delayMs: number) => Promise<void>;
}

/**
 * Of twenty writers that collide, the unluckiest loses many times in a row: if half of all tries are lost, twenty tries fail
 * together once in a million.
 */
const DEFAULT_MAX_TRIES = { serialization: 20, deadlock: 20, busy: 10 } as const;

const isFinal = (reason: Conflict["reason"]): reason is "guard" | "locked" =>
  reason === "guard" || reason === "locked";

const waitByTimer = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Applies a batch. After a serialization failure, a deadlock or a busy database, it tries again with jitter, which is safe for any batch
 * because nothing was applied. A false guard, a row that stayed locked, a unique violation, thrown errors and the last conflict are
 * returned at once, for the caller to handle.
 *
 * @throws {DatabaseError} what `Database.batch` throws
 */
export async function batchWithRetry(
  database: Database,
  statements: readonly Statement[],
  options: RetryOptions = {},
): Promise<BatchResult> {
  const {
    maxTries,
    baseDelayMs = 5,
    maxDelayMs = 500,
    random = Math.random,
    wait = waitByTimer,
    batch = {},
  } = options;
  for (let attempt = 1; ; attempt += 1) {
    const result = await database.batch(statements, batch);
    if (result.kind !== "conflict" || isFinal(result.reason)) return result;
    if (attempt >= (maxTries ?? DEFAULT_MAX_TRIES[result.reason])) return result;
    await wait(random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)));
  }
}

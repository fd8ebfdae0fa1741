/** Repeats a batch that met another writer. */
import type { BatchResult, Database, Statement } from "./batch.ts";

/** When to try again. Only for batches that are idempotent or were certainly not applied. */
export interface RetryOptions {
  /** Total tries, the first included. @default 8 @minimum 1 */
  readonly maxTries?: number;
  /** Upper bound of the first wait, doubled per try, in milliseconds. @default 5 */
  readonly baseDelayMs?: number;
  /** Chance in [0, 1), for jitter. @default Math.random */
  readonly random?: () => number;
}

/**
 * Applies a batch; a serialization failure, deadlock or busy database is tried again with jitter. A false guard, a
 * unique violation and thrown errors are the caller's to judge and come back at once.
 */
export async function batchWithRetry(
  database: Database,
  statements: readonly Statement[],
  options: RetryOptions = {},
): Promise<BatchResult> {
  const { maxTries = 8, baseDelayMs = 5, random = Math.random } = options;
  for (let attempt = 1; ; attempt += 1) {
    const result = await database.batch(statements);
    if (result.kind !== "conflict" || result.reason === "guard" || attempt >= maxTries) return result;
    const delayMs = random() * baseDelayMs * 2 ** attempt;
    await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
  }
}

/** A time limit for drivers that have none. */
import { DatabaseError } from "../errors.ts";

/**
 * Waits for `work`, at most `timeoutMs` (null: as long as it takes).
 *
 * @throws {DatabaseError} DATABASE_UNAVAILABLE — no answer in time; it is unknown whether the work was done
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number | null): Promise<T> {
  if (timeoutMs === null) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DatabaseError("DATABASE_UNAVAILABLE", `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

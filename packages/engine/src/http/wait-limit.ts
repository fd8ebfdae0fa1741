/** Limits how many requests of one handler wait at a time, because each holds a connection and queries the database now and then. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";

/** The most waits and streams that are open together. */
export const MAX_OPEN_WAITS = 5000;

/** Admits one more wait. */
export interface WaitLimit {
  /**
   * @param forMs it counts no longer than this, because a platform may drop an answer without notice
   * @returns a function that releases it. @throws {WorkflowError} WAIT_LIMIT
   */
  hold(forMs: DurationMs): () => void;
}

export function createWaitLimit(now: () => EpochMs, most: number = MAX_OPEN_WAITS): WaitLimit {
  const endsAt = new Map<object, EpochMs>();
  const forgetOver = (): void => {
    const at = now();
    for (const [held, until] of endsAt) if (until <= at) endsAt.delete(held);
  };
  return {
    hold(forMs) {
      if (endsAt.size >= most) forgetOver();
      if (endsAt.size >= most)
        throw new WorkflowError(
          "WAIT_LIMIT",
          `${most} requests are waiting in this process already.`,
          { most },
        );
      const held = {};
      endsAt.set(held, now() + forMs);
      return () => void endsAt.delete(held);
    },
  };
}

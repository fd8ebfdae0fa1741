/** How many requests of one handler wait at a time: each holds a connection, and asks the database now and then. */
import { WorkflowError } from "../core/errors.ts";
import type { DurationMs, EpochMs } from "../core/model/records.ts";

/** Waits and streams that are open together, at most. */
export const MAX_OPEN_WAITS = 5000;

/** Lets one more wait. */
export interface WaitLimit {
  /**
   * @param forMs it counts no longer than that: a platform may drop an answer without a word
   * @returns lets it go. @throws {WorkflowError} WAIT_LIMIT
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
        throw new WorkflowError("WAIT_LIMIT", `${most} requests wait here already.`, { most });
      const held = {};
      endsAt.set(held, now() + forMs);
      return () => void endsAt.delete(held);
    },
  };
}

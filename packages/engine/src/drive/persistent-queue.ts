/** A queue that tries each send a few times. If all of them fail, it logs an error, because only the cron is left then. */
import { toLogFields } from "../core/errors.ts";
import type { Logger } from "../ports/logger.ts";
import type { DelayQueue } from "./queue-wakes.ts";
import { pause } from "./waits.ts";

const MAX_TRIES = 3;
/** The longest pause before the second try, in milliseconds; it is four times as long before the third. */
const PAUSE_MS = 100;

export interface PersistentQueue extends DelayQueue {
  /** How many messages could not be sent. */
  readonly lostCount: number;
}

/** Creates a queue that repeats sends, and logs those that are lost. */
export function createPersistentQueue(queue: DelayQueue, logger: Logger): PersistentQueue {
  let lostCount = 0;
  return {
    maxDelaySeconds: queue.maxDelaySeconds,
    get lostCount(): number {
      return lostCount;
    },
    send: async (...message) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await queue.send(...message);
        } catch (error) {
          if (tries < MAX_TRIES) {
            await pause(Math.random() * PAUSE_MS * 4 ** (tries - 1));
            continue;
          }
          lostCount += 1;
          logger.log("error", "wake.not_sent", { ...toLogFields(error), tries });
          throw error;
        }
      }
    },
  };
}

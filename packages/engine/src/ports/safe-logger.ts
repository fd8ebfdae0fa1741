/** A host's log may fail, and nothing of the engine with it. */
import type { Logger } from "./logger.ts";

/** The same log; what it throws, or rejects with where it is asynchronous after all, is lost: there is nowhere left to tell it. */
export function toSafeLogger(logger: Logger): Logger {
  return {
    log(level, event, fields) {
      try {
        const told: unknown = logger.log(level, event, fields);
        if (told instanceof Promise) told.catch(() => undefined);
      } catch {
        // As when it rejects.
      }
    },
  };
}

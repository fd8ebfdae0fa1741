/** Keeps errors of an application's logger away from the engine. */
import type { Logger } from "./logger.ts";

/** Wraps a logger. What it throws or rejects with is dropped, because there is nowhere left to report it. */
export function toSafeLogger(logger: Logger): Logger {
  return {
    log(level, event, fields) {
      try {
        const told: unknown = logger.log(level, event, fields);
        if (told instanceof Promise) told.catch(() => undefined);
      } catch {
        // Dropped, as if it had rejected.
      }
    },
  };
}

/** Where log lines go when the host says nothing. */
import type { Logger, LogLevel } from "../ports/logger.ts";

const ORDER: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Writes one JSON line per event to the console, from a level on. @param minLevel @default "warn" */
export function createConsoleLogger(minLevel: LogLevel = "warn"): Logger {
  return {
    log: (level, event, fields) => {
      if (ORDER.indexOf(level) < ORDER.indexOf(minLevel)) return;
      console[level](JSON.stringify({ level, event, ...fields }));
    },
  };
}

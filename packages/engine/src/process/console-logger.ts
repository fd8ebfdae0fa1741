/** The default logger. */
import type { Logger, LogLevel } from "../ports/logger.ts";

const ORDER: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/**
 * Creates a logger that writes each event as a line of JSON to the console: `createEngine({ logger: createConsoleLogger("info"), … })`.
 *
 * @param minLevel the lowest level that is written: debug, info, warn or error @default "warn"
 */
export function createConsoleLogger(minLevel: LogLevel = "warn"): Logger {
  return {
    log: (level, event, fields) => {
      if (ORDER.indexOf(level) < ORDER.indexOf(minLevel)) return;
      console[level](toLine({ level, event, ...fields }));
    },
  };
}

/** Writes a line. Fields may have anything that an application put into an error, so a failure to write them must not end the process. */
function toLine(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
  } catch {
    const { level, event } = fields;
    return JSON.stringify({ level, event, unwritable: true });
  }
}

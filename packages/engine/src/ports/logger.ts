/** How serious a log line is. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/**
 * Writes structured log lines: `{ log: (level, event, fields) => pino[level]({ event, ...fields }) }`. `event` is a stable dotted word,
 * such as `run.errored`; `fields` are JSON and never contain payloads.
 */
export interface Logger {
  log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void;
}

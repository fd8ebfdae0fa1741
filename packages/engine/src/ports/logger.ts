/** Structured log lines. `event` is a stable dotted word; `fields` are JSON and never hold payloads. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Writes structured log lines. `event` is a stable dotted word; `fields` are JSON and never contain payloads. */
export interface Logger {
  log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void;
}

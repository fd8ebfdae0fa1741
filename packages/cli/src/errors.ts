/** What a command ends with when it does not do what it was asked for. No stack is shown. */
import { toPlainText } from "./plain-text.ts";

/** The command line cannot be used. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The engine refused, failed, or gave no answer that can be used. Exit code 1. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  /** Of the engine's error, or `NO_ANSWER`, `NOT_THE_API`, `ENGINE_NOT_LOADED`, `MODULE_NOT_LOADED`, `DRIVER_MISSING`, `DATABASE_NOT_FOUND`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The API tells no reasons of failures from status 500 on, the log does. */
export function tellFailures(
  _level: string,
  event: string,
  { errorName, errorMessage }: Readonly<Record<string, unknown>>,
): void {
  if (event !== "http.failed") return;
  process.stderr.write(`${toPlainText(`${String(errorName)}: ${String(errorMessage)}`)}\n`);
}

/** What was looked for was found, and is printed: a divergence, a fault. Exit code 1, and no message. */
export class FoundError extends Error {
  override readonly name = "FoundError";
}

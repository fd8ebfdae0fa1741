/** The errors that end a command. No stack is shown. */
import { toPlainText } from "./plain-text.ts";

/** The command line is invalid. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The engine refused or failed, or gave no usable answer. Exit code 1. */
export class RefusedError extends Error {
  override readonly name: string = "RefusedError";

  /**
   * The code of the engine's error, or `NO_ANSWER`, `NOT_THE_API`, `ENGINE_NOT_LOADED`, `MODULE_NOT_LOADED`, `DRIVER_MISSING`,
   * `DATABASE_NOT_FOUND`.
   */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** There was no connection, or no answer in time. */
export class NoAnswerError extends RefusedError {
  override readonly name = "NoAnswerError";
  /** False: the request was never sent. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, mayHaveArrived: boolean) {
    super("NO_ANSWER", message);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** From status 500 on, the API gives no reasons; they are in the log. */
export function tellFailures(
  _level: string,
  event: string,
  { errorName, errorMessage }: Readonly<Record<string, unknown>>,
): void {
  if (event !== "http.failed") return;
  process.stderr.write(`${toPlainText(`${String(errorName)}: ${String(errorMessage)}`)}\n`);
}

/** The command found what it looked for, and has printed it: a divergence, a fault. Exits with its code, and no message. */
export class FoundError extends Error {
  override readonly name = "FoundError";
  readonly exitCode: 1 | 3;

  /** @param exitCode 3: it found nothing, but has not looked at everything */
  constructor(exitCode: 1 | 3 = 1) {
    super();
    this.exitCode = exitCode;
  }
}

/** What a command ends with when it does not do what it was asked for. No stack is shown. */

/** The command line cannot be used. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The engine refused, failed, or gave no answer that can be used. Exit code 1. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";

  /** Of the engine's error, or `NO_ANSWER`, `NOT_THE_API`, `ENGINE_NOT_LOADED`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

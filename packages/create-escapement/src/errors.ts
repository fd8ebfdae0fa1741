/** Errors for the user; no stack is shown. */

/** The command cannot do what was asked. The message says what is possible. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

/** Says why a system call failed, without the call and the paths that Node adds. */
export const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, \w+ '.*$/s, "");

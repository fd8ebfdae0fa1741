/** Errors for the user; no stack is shown. */

/** The command cannot do what was asked. The message says what is possible. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

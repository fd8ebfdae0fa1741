/** What the person at the terminal is told; no stack is shown. */

/** The command cannot do what it was asked for. The message says what is possible. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

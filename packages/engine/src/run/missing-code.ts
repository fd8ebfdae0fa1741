/** Code that a process has not, as after a deploy that took its file away. */
import type { Late } from "../core/late.ts";

/** What a run "fails" with in a process that has not the code to end it as it should end. */
export class MissingCode extends Error {
  readonly #cause: unknown;

  constructor(cause: unknown) {
    super("code is missing");
    this.#cause = cause;
  }

  override get cause(): unknown {
    return this.#cause;
  }

  /** Asks the value nothing: author code may throw a proxy that refuses every question. */
  static is(value: unknown): value is MissingCode {
    return typeof value === "object" && value !== null && #cause in value;
  }
}

/** The code of a process may be gone, as after a deploy that took the file away. @throws {MissingCode} */
export async function loadOrThrow<T>(code: Late<T>): Promise<T> {
  try {
    return await code();
  } catch (error) {
    throw new MissingCode(error);
  }
}

/** null: it cannot be loaded. */
export async function loadOrNull<T>(code: Late<T>): Promise<T | null> {
  try {
    return await code();
  } catch {
    return null;
  }
}

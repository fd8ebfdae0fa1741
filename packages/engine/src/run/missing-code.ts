/** Code that a process does not have, for example because a deploy removed its file. */
import type { Late } from "../core/late.ts";

/** The error of a run in a process that does not have the code to end it properly. The run itself does not fail. */
export class MissingCode extends Error {
  readonly #cause: unknown;

  constructor(cause: unknown) {
    super("code is missing");
    this.#cause = cause;
  }

  override get cause(): unknown {
    return this.#cause;
  }

  /** Reads nothing from the value: author code may throw a proxy that throws whenever it is read. */
  static is(value: unknown): value is MissingCode {
    return typeof value === "object" && value !== null && #cause in value;
  }
}

/** Loads code, which may be missing, for example because a deploy removed its file. @throws {MissingCode} */
export async function loadOrThrow<T>(code: Late<T>): Promise<T> {
  try {
    return await code();
  } catch (error) {
    throw new MissingCode(error);
  }
}

/** Loads code; null: it cannot be loaded. */
export async function loadOrNull<T>(code: Late<T>): Promise<T | null> {
  try {
    return await code();
  } catch {
    return null;
  }
}

/** What a call is refused with, or a run fails with, where code says it that is loaded for it. */
import type { WorkflowError } from "../core/errors.ts";
import type * as RefusalTexts from "./refusal-texts.ts";

export type Why = (texts: typeof RefusalTexts) => WorkflowError;

/** Stands for the error until `explain` of other outcomes has made it: author code is never told of it. */
export class Refusal extends Error {
  readonly #why: Why;

  constructor(why: Why) {
    super();
    this.#why = why;
  }

  get why(): Why {
    return this.#why;
  }

  /** Asks the value nothing: author code may throw a proxy that refuses every question. */
  static is(value: unknown): value is Refusal {
    return typeof value === "object" && value !== null && #why in value;
  }
}

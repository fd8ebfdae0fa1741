/** A placeholder for the error of a refused call or a failed run, whose text is in code that is loaded later. */
import type { WorkflowError } from "../core/errors.ts";
import type * as RefusalTexts from "./refusal-texts.ts";

export type Why = (texts: typeof RefusalTexts) => WorkflowError;

/** Stands for the error until `explain` in `deliver-refusal.ts` has made it. Author code never sees it. */
export class Refusal extends Error {
  readonly #why: Why;

  constructor(why: Why) {
    super();
    this.#why = why;
  }

  get why(): Why {
    return this.#why;
  }

  /** Reads nothing from the value: author code may throw a proxy that throws whenever it is read. */
  static is(value: unknown): value is Refusal {
    return typeof value === "object" && value !== null && #why in value;
  }
}

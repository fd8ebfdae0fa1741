/** Which use of a step's name a call is. */
import type { RepeatedNames } from "../authoring/define-workflow.ts";
import { toStepKey } from "../core/step-key.ts";

/** What is known of the steps that were called before. */
export class Occurrences {
  readonly #mode: RepeatedNames;
  readonly #isInFlight: (stepKey: string) => boolean;
  readonly #last = new Map<string, number>();

  constructor(mode: RepeatedNames, isInFlight: (stepKey: string) => boolean) {
    this.#mode = mode;
    this.#isInFlight = isInFlight;
  }

  /** The key of a call of this name; null: the name is in flight. */
  next(name: string): string | null {
    const last = this.#last.get(name) ?? 0;
    if (last > 0 && this.#isInFlight(toStepKey(name, last))) return null;
    const occurrence = this.#mode === "cached" ? 1 : last + 1;
    this.#last.set(name, occurrence);
    return toStepKey(name, occurrence);
  }
}

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
    if (last > 0 && this.#isInFlight(this.#toKey(name, last))) return null;
    this.#last.set(name, last + 1);
    return this.#toKey(name, last + 1);
  }

  /** Whether the last call of this name was of a step that had been called before. */
  isRepeat(name: string): boolean {
    return this.#mode === "cached" && (this.#last.get(name) ?? 0) > 1;
  }

  #toKey(name: string, occurrence: number): string {
    return toStepKey(name, this.#mode === "cached" ? 1 : occurrence);
  }
}

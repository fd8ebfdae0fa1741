/** Remembers which step each error came from, so that a failed run can name the step that failed it. */
import { attempt } from "../core/attempt.ts";
import { readField } from "../core/read-field.ts";
import type { HistoryStep } from "../core/model/records.ts";

/** How many errors are looked at, each with its causes. */
const MAX_SCANNED = 1000;

export class Failures {
  /** null: no step has failed, as in most runs. Each WeakMap makes garbage collection slower, and a process has many runs. */
  #stepKeys: WeakMap<object, string> | null = null;

  /** Notes the error that author code gets for a failed step. If another step failed with the same error before, that one counts. */
  note(error: unknown, stepKey: string): void {
    if (!isObject(error)) return;
    this.#stepKeys ??= new WeakMap();
    if (!this.#stepKeys.has(error)) this.#stepKeys.set(error, stepKey);
  }

  /**
   * Finds the step that an error came from: the error itself, one of its causes, or one of its parts was noted for the step.
   *
   * @returns the step that settled first, if there are several; undefined: none. Never throws
   */
  find(
    error: unknown,
    known: { recordOf(stepKey: string): Pick<HistoryStep, "settledOrder"> | null },
  ): string | undefined {
    const orderOf = (stepKey: string): number => known.recordOf(stepKey)?.settledOrder ?? Infinity;
    let first: string | undefined;
    for (const stepKey of this.#stepKeysOf(error))
      if (orderOf(stepKey) < (first === undefined ? Infinity : orderOf(first))) first = stepKey;
    return first;
  }

  #stepKeysOf(error: unknown): readonly string[] {
    const seen = new Set<object>();
    const add = (value: unknown): void => {
      if (isObject(value) && seen.size < MAX_SCANNED) seen.add(value);
    };
    add(error);
    // Iterating over a set includes members that are added meanwhile.
    for (const one of seen) {
      add(readField(one, "cause"));
      const errors = readField(one, "errors");
      if (isObject(errors))
        for (const inner of attempt(() => Object.values(errors), [])) add(inner);
    }
    return [...seen].flatMap((one) => this.#stepKeys?.get(one) ?? []);
  }
}

/** Notes a failure; creates the session's `Failures` on first use. */
export const noteFailure = (
  session: { failures: Failures | null },
  error: unknown,
  stepKey: string,
): void => (session.failures ??= new Failures()).note(error, stepKey);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

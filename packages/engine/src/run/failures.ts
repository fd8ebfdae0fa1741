/** Which steps the errors that author code was told are of, so that a run which fails says what it failed by. */
import { attempt, readField } from "../core/attempt.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { Session } from "./session.ts";

/** How many errors are looked at, each with its causes. */
const MAX_LOOKED_AT = 1000;

export class Failures {
  /** null: none has failed, as in most runs. A map of weak keys costs each collection of garbage, and a process has many runs. */
  #stepKeys: WeakMap<object, string> | null = null;

  /** Author code is told that a step failed. One that fails with what another was told is not the first. */
  note(error: unknown, stepKey: string): void {
    if (!isObject(error)) return;
    this.#stepKeys ??= new WeakMap();
    if (!this.#stepKeys.has(error)) this.#stepKeys.set(error, stepKey);
  }

  /**
   * The step that an error is of: it, one of its causes, or one of those that it is made of was told of the step.
   *
   * @returns of several the one that settled first; undefined: it is of none. Never throws
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
      if (isObject(value) && seen.size < MAX_LOOKED_AT) seen.add(value);
    };
    add(error);
    // A set that grows while it is walked is walked to its end.
    for (const one of seen) {
      add(readField(one, "cause"));
      const errors = readField(one, "errors");
      if (isObject(errors))
        for (const inner of attempt(() => Object.values(errors), [])) add(inner);
    }
    return [...seen].flatMap((one) => this.#stepKeys?.get(one) ?? []);
  }
}

/** See `Failures`. A session has them once author code was told of one. */
export const noteFailure = (session: Session, error: unknown, stepKey: string): void =>
  (session.failures ??= new Failures()).note(error, stepKey);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

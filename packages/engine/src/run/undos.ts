/** The undo of each step that author code has called with one. */
import type { StepUndo, UndoOptions } from "../authoring/step-options.ts";
import { RETRIES_OPTIONS } from "../authoring/step-config.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { WorkflowError } from "../core/errors.ts";
import { isBelow } from "../core/step-key.ts";

type Undo = UndoOptions<unknown>;

const OPTIONS: Readonly<Record<keyof Undo, 1>> = { run: 1, retries: 1, timeout: 1 };

export class Undos {
  /** null: no step has one, as in most runs. */
  #byKey: Map<string, Undo> | null = null;

  /** Author code has called a step. @returns null: without one @throws {WorkflowError} INVALID_UNDO, UNKNOWN_OPTION */
  note(stepKey: string, given: StepUndo<unknown> | Undo | undefined): Undo | null {
    if (given === undefined) return null;
    const undo = typeof given === "function" ? { run: given } : given;
    if (typeof undo?.run !== "function") throw badUndo(stepKey, given);
    assertKnownOptions("undo", undo, OPTIONS);
    assertKnownOptions("retries", undo.retries, RETRIES_OPTIONS);
    (this.#byKey ??= new Map()).set(stepKey, undo);
    return undo;
  }

  find(stepKey: string): Undo | null {
    return this.#byKey?.get(stepKey) ?? null;
  }

  /** Whether a step at a place, or inside it, has one. */
  hasBelow(path: string): boolean {
    for (const stepKey of this.#byKey?.keys() ?? []) if (isBelow(stepKey, path)) return true;
    return false;
  }
}

const badUndo = (stepKey: string, given: unknown): WorkflowError =>
  new WorkflowError(
    "INVALID_UNDO",
    `undo of step "${stepKey}" is ${given === null ? "null" : typeof given}; expected a function, or an object with a function as run`,
    { stepKey },
  );

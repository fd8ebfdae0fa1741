/** Notes the undo of a step. Loaded when author code first calls a step with one. */
import type { StepUndo, UndoOptions } from "../authoring/step-options.ts";
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { Undos } from "./undos.ts";

type Undo = UndoOptions<unknown>;

const OPTIONS: Readonly<Record<keyof Undo, 1>> = { run: 1, retries: 1, timeout: 1 };

/** @returns the options of the undo, so that the caller can check the rest @throws {WorkflowError} INVALID_UNDO, UNKNOWN_OPTION */
export function noteUndo(undos: Undos, stepKey: string, given: StepUndo<unknown> | Undo): Undo {
  const undo = typeof given === "function" ? { run: given } : given;
  if (typeof undo?.run !== "function") throw badUndo(stepKey, given);
  assertKnownOptions("undo", undo, OPTIONS);
  (undos.byKey ??= new Map()).set(stepKey, undo);
  return undo;
}

const badUndo = (stepKey: string, given: unknown): WorkflowError =>
  new WorkflowError(
    "INVALID_UNDO",
    `undo of step "${stepKey}" is ${given === null ? "null" : typeof given}; expected a function, or an object with a function as run`,
    { stepKey },
  );

/** Notes the undo of a step. Loaded when author code first calls a step with one. */
import { RETRIES_OPTIONS, resolveStepConfig } from "../authoring/step-config.ts";
import type { StepUndo, UndoOptions, WorkflowStepConfig } from "../authoring/step-options.ts";
import { WorkflowError } from "../core/errors.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { Undos } from "./undos.ts";

type Undo = UndoOptions<unknown>;

const OPTIONS: Readonly<Record<keyof Undo, 1>> = { run: 1, retries: 1, timeout: 1 };

/** @throws {WorkflowError} INVALID_UNDO, UNKNOWN_OPTION, INVALID_RETRY_POLICY, INVALID_DURATION */
export function noteUndo(
  undos: Undos,
  stepKey: string,
  given: StepUndo<unknown> | Undo,
  defaults: WorkflowStepConfig,
): void {
  const undo = typeof given === "function" ? { run: given } : given;
  if (typeof undo?.run !== "function") throw badUndo(stepKey, given);
  assertKnownOptions("undo", undo, OPTIONS);
  assertKnownOptions("retries", undo.retries, RETRIES_OPTIONS);
  (undos.byKey ??= new Map()).set(stepKey, undo);
  // What is wrong with it is found out now, and not when it is needed.
  resolveStepConfig(defaults, undo);
}

const badUndo = (stepKey: string, given: unknown): WorkflowError =>
  new WorkflowError(
    "INVALID_UNDO",
    `undo of step "${stepKey}" is ${given === null ? "null" : typeof given}; expected a function, or an object with a function as run`,
    { stepKey },
  );

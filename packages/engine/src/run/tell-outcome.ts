/** Tells a call what its step came to. */
import { decodeJson } from "../core/codec.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { Told } from "./call.ts";
import type { Failures } from "./failures.ts";
import { toStepError } from "./step-error.ts";

export function tellOutcome(
  told: Told,
  step: HistoryStep | StepWrite,
  failures: Pick<Failures, "note">,
): void {
  if (step.status === "completed") return told.resolve(decodeJson(step.result));
  const error = toStepError(step);
  failures.note(error, step.stepKey);
  told.reject(error);
}

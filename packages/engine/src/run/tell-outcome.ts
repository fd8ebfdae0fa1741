/** Tells a call what its step came to. */
import { decodeJson } from "../core/codec.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { Told } from "./call.ts";
import { toStepError } from "./step-error.ts";

export function tellOutcome(told: Told, step: HistoryStep | StepWrite): void {
  if (step.status === "completed") told.resolve(decodeJson(step.result));
  else told.reject(toStepError(step));
}

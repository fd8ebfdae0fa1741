/** Gives a call what its step came to. */
import { decodeJson } from "../core/codec.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { Call, Calls } from "./call.ts";
import { toStepError } from "./step-error.ts";

export interface Settlement {
  readonly call: Call;
  readonly step: HistoryStep | StepWrite;
}

export function settleCall({ calls }: { readonly calls: Calls }, { call, step }: Settlement): void {
  calls.remove(call.stepKey);
  if (step.status === "completed") call.resolve(decodeJson(step.result));
  else call.reject(toStepError(step));
}

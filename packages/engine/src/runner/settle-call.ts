/** Gives a call what its step came to. */
import { decodeJson } from "../core/codec.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session.ts";
import { toStepError } from "./step-error.ts";

export function settleCall(session: Session, call: Call, step: HistoryStep | StepWrite): void {
  session.calls.delete(call.stepKey);
  if (step.status === "completed") call.resolve(decodeJson(step.result));
  else call.reject(toStepError(step));
}

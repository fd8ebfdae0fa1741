/** Tells a call the outcome of its step. */
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import { decodePlain, isTagged } from "../core/plain-codec.ts";
import type { Told } from "./call.ts";
import { otherOutcomes } from "./late-code.ts";
import type { Session } from "./session.ts";

export function tellOutcome(session: Session, told: Told, step: HistoryStep | StepWrite): void {
  const { status, result } = step;
  if (status === "completed" && (result === null || !isTagged(result)))
    return told.resolve(decodePlain(result));
  session.code.with(otherOutcomes, ({ tellOther }) => {
    if (!session.isOver) tellOther(session, told, step);
  });
}

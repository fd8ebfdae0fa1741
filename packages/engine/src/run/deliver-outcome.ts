/** Tells a call the outcome of its step. */
import type { StepWrite } from "../core/model/change.ts";
import type { HistoryStep } from "../core/model/records.ts";
import { decodePlain, isTagged } from "../core/plain-codec.ts";
import type { Receiver } from "./call.ts";
import { otherOutcomes } from "./late-code.ts";
import type { Session } from "./session-interface.ts";

export function deliverOutcome(
  session: Session,
  receiver: Receiver,
  step: HistoryStep | StepWrite,
): void {
  const { status, result } = step;
  if (status === "completed") {
    if (result === null) return receiver.resolve(undefined);
    const replayed = session.takeReplayed(step);
    if (replayed !== undefined) return receiver.resolve(replayed);
    if (!isTagged(result)) return receiver.resolve(decodePlain(result));
  }
  session.code.with(otherOutcomes, ({ deliverOther }) => {
    if (!session.isOver) deliverOther(session, receiver, step);
  });
}

/** Opens a call of a step: the part that is the same for every type of step. */
import type { StepIdentity } from "../core/model/step-record.ts";
import { isSettled } from "../core/history/history.ts";
import type { StepType } from "../core/model/status.ts";
import type { Call, Receiver } from "./call.ts";
import { Identified, identify, identifyAgain, scopeClosed } from "./identify.ts";
import { Outcome } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";
import { refuseCall, refuseNow } from "./refuse-call.ts";

/** A type of step. `TGiven`: the arguments besides the name. `TChecked`: the arguments after they were checked. */
export interface StepKind<TGiven, TChecked> {
  readonly type: StepType;
  /** @throws {WorkflowError} if the call is refused */
  check(given: TGiven, stepKey: string): TChecked;
  /** Not called for a settled step, as most are in a replay. @throws {WorkflowError} like `check` */
  toDecide(identity: StepIdentity, checked: TChecked, given: TGiven): Call["decide"];
  /** Turns the step's result into what author code gets. @default the result itself */
  readonly toOutcome?: (value: unknown, stepKey: string) => unknown;
}

/**
 * Opens a call: finds its key, and answers from the history if the step is settled. A refused call is told in its turn.
 *
 * @param called its name; or the step, if its key was found before
 */
export type OpenCall = <TGiven, TChecked>(
  place: Place,
  kind: StepKind<TGiven, TChecked>,
  called: string | Identified,
  given: TGiven,
) => Promise<unknown>;

export const createOpenCall =
  (session: Session, isShielded: boolean): OpenCall =>
  (place, kind, called, given) => {
    const outcome = new Outcome(place);
    const name = called instanceof Identified ? called.name : called;
    if (!isAfterEnd(session, outcome, name))
      try {
        open(session, place, { kind, called, given, receiver: outcome, isShielded });
      } catch (error) {
        refuseCall(session, { outcome, name, error });
      }
    return outcome.promise;
  };

interface Opening<TGiven, TChecked> {
  readonly kind: StepKind<TGiven, TChecked>;
  readonly called: string | Identified;
  readonly given: TGiven;
  readonly receiver: Receiver;
  readonly isShielded: boolean;
}

/** @throws {WorkflowError} as `identify` and the kind do */
function open<TGiven, TChecked>(
  session: Session,
  place: Place,
  { kind, called, given, receiver: outcome, isShielded }: Opening<TGiven, TChecked>,
): void {
  const { type, toOutcome } = kind;
  const identified =
    called instanceof Identified
      ? identifyAgain(session, place, called)
      : identify(session, place, type, called);
  if (identified === null) return;
  const { name, stepKey, record } = identified;
  const checked = kind.check(given, stepKey);
  const receiver = toOutcome === undefined ? outcome : translated(outcome, toOutcome, stepKey);
  if (record !== null && isSettled(record)) {
    if (session.order.isAhead(record.settledOrder)) session.refusals.noteProgress();
    else if (place.isRepeat(name)) session.refusals.noteIdle();
    return session.openSettled(receiver, record);
  }
  const newId = session.context.host.newId();
  const decide = kind.toDecide({ newId, stepKey, name, type }, checked, given);
  if (record === null && !session.stepLimit.add(type)) return;
  session.open({ receiver, stepKey, type, isShielded, decide });
}

const translated = (
  outcome: Receiver,
  toOutcome: (value: unknown, stepKey: string) => unknown,
  stepKey: string,
): Receiver => ({
  resolve: (value) => outcome.resolve(toOutcome(value, stepKey)),
  reject: (error) => outcome.reject(error),
});

/** Whether a call comes too late: it is refused if the author's function has ended, but for a loop of them; else another session makes it. */
export function isAfterEnd(session: Session, outcome: Outcome, name: string): boolean {
  const { isAuthorDone, isOver } = session;
  if (isOver) session.warnAfterEnd(name);
  if (!isAuthorDone) return isOver;
  if (!session.refusals.noteLate()) return true;
  const error = scopeClosed(outcome.place, name);
  // For example from a branch that lost a race and goes on until the run's last commit.
  if (isOver) outcome.reject(error);
  else refuseNow({ session, outcome, identified: { name } }, error);
  return true;
}

/** Opens a call of a step: what holds for every type of step before its own decision. */
import type { StepIdentity } from "../core/model/step-record.ts";
import { isSettled } from "../core/history/history.ts";
import type { StepType } from "../core/model/status.ts";
import type { Call, Told } from "./call.ts";
import { Identified, identify, identifyAgain, scopeClosed } from "./identify.ts";
import { Outcome } from "./outcome.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";
import { refuseCall, warnRefused } from "./refuse-call.ts";

/** A type of step. `TGiven`: what author code gives a call beside the name; `TChecked`: what is made of it. */
export interface StepKind<TGiven, TChecked> {
  readonly type: StepType;
  /** @throws {WorkflowError} what the call is refused with */
  check(given: TGiven, stepKey: string): TChecked;
  /** Not asked of a step that is settled, as most are in a replay. @throws {WorkflowError} as `check` */
  toDecide(identity: StepIdentity, checked: TChecked, given: TGiven): Call["decide"];
  /** What author code is told of a step's result. @default the result */
  readonly toTold?: (value: unknown, stepKey: string) => unknown;
}

/**
 * Opens a call: finds its key, and answers from history what is settled. A refused call is told in its turn.
 *
 * @param called its name; or the step, where its key was found before
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
        open(session, place, { kind, called, given, told: outcome, isShielded });
      } catch (error) {
        refuseCall(session, { outcome, name, error });
      }
    return outcome.promise;
  };

interface Opening<TGiven, TChecked> {
  readonly kind: StepKind<TGiven, TChecked>;
  readonly called: string | Identified;
  readonly given: TGiven;
  readonly told: Told;
  readonly isShielded: boolean;
}

/** @throws {WorkflowError} what `identify` throws, and what the kind throws */
function open<TGiven, TChecked>(
  session: Session,
  place: Place,
  { kind, called, given, told: outcome, isShielded }: Opening<TGiven, TChecked>,
): void {
  const { type, toTold } = kind;
  const identified =
    called instanceof Identified
      ? identifyAgain(session, place, called)
      : identify(session, place, type, called);
  if (identified === null) return;
  const { name, stepKey, record } = identified;
  const checked = kind.check(given, stepKey);
  const told: Told =
    toTold === undefined
      ? outcome
      : {
          resolve: (value) => outcome.resolve(toTold(value, stepKey)),
          reject: (error) => outcome.reject(error),
        };
  if (record !== null && isSettled(record)) {
    if (session.order.isAhead(record.settledOrder)) session.refusals.noteProgress();
    else if (place.isRepeat(name)) session.refusals.noteIdle();
    return session.openSettled(told, record);
  }
  const newId = session.context.host.newId();
  const decide = kind.toDecide({ newId, stepKey, name, type }, checked, given);
  if (record === null && !session.stepLimit.add(type)) return;
  session.open({ told, stepKey, type, isShielded, decide });
}

/** Whether a call comes too late: it is refused if the author's function has ended, but for a loop of them; else another session makes it. */
export function isAfterEnd(session: Session, outcome: Outcome, name: string): boolean {
  const { isAuthorDone, isOver } = session;
  if (isOver) session.warnAfterEnd(name);
  if (!isAuthorDone) return isOver;
  if (!session.refusals.noteLate()) return true;
  const error = scopeClosed(outcome.place, name);
  // As of what a race has left behind, which goes on until the run's last commit.
  if (!isOver) warnRefused(session, { outcome, name, error });
  outcome.reject(error);
  return true;
}

/** Opens a call of a step: what holds for every type of step before its own decision. */
import type { StepIdentity } from "../core/decide/step-write.ts";
import { isSettled } from "../core/history/history.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseStepName } from "../core/limits.ts";
import type { StepType } from "../core/model/status.ts";
import type { Call, Told } from "./call.ts";
import type { Occurrences } from "./occurrences.ts";
import type { Session } from "./session.ts";

export interface Opening {
  readonly name: string;
  readonly type: StepType;
  /**
   * Checks what the call is given, and returns the type's own way to decide: most calls of a replay are of steps that are
   * settled, and need none.
   *
   * @throws {WorkflowError} what the call is refused with
   */
  readonly check: () => (identity: StepIdentity) => Call["decide"];
}

/** Opens a call: finds its key, and answers from history what is settled. A refused call is told in its turn. */
export function openCall(
  session: Session,
  occurrences: Occurrences,
  opening: Opening,
): Promise<unknown> {
  const told: Promise<unknown> = new Promise<unknown>((resolve, fail) => {
    if (session.isOver) return warnAfterEnd(session, opening.name);
    const reject = (error: unknown): void => {
      void unlinked(told);
      fail(error);
    };
    try {
      open(session, occurrences, opening, { resolve, reject });
    } catch (error) {
      session.refuse(() => reject(error));
    }
  });
  return told;
}

/** A step that loses a race, or that nobody awaits, must not bring the process down. */
export function unlinked<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** @throws {WorkflowError} INVALID_STEP_NAME, STEP_KEY_DUPLICATE, and what `check` throws */
function open(
  session: Session,
  occurrences: Occurrences,
  { name, type, check }: Opening,
  told: Told,
): void {
  const stepName = parseStepName(name, session.context.limits);
  const stepKey = occurrences.next(stepName);
  if (stepKey === null) throw duplicate(stepName);
  const record = session.known.recordOf(stepKey);
  if (record !== null && record.type !== type)
    return session.fail(diverged(stepKey, record.type, type));
  const toDecide = check();
  if (record !== null && isSettled(record)) {
    if (occurrences.isRepeat(stepName)) session.refusals.noteIdle();
    return session.openSettled(told, record);
  }
  const decide = toDecide({ newId: session.context.host.newId(), stepKey, name: stepName, type });
  if (record === null && !session.stepLimit.add(type)) return;
  session.open({ resolve: told.resolve, reject: told.reject, stepKey, decide });
}

const duplicate = (name: string): WorkflowError =>
  new WorkflowError(
    "STEP_KEY_DUPLICATE",
    `step "${name}" is already in flight; give each step its own name`,
    { stepKey: name },
  );

/** Fails the run whatever the author catches. */
const diverged = (stepKey: string, recorded: StepType, called: StepType): WorkflowError =>
  new WorkflowError(
    "HISTORY_DIVERGED",
    `step "${stepKey}" is ${called} in the code but ${recorded} in history`,
    { stepKey, recorded, called },
  );

function warnAfterEnd(session: Session, name: string): void {
  session.warn("step.called_after_park", { stepKey: name, code: "AWAIT_OUTSIDE_STEP" });
}

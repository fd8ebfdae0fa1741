/** Opens a call of a step: what holds for every type of step before its own decision. */
import type { StepIdentity } from "../core/decide/step-write.ts";
import { isSettled } from "../core/history/history.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseStepName } from "../core/limits.ts";
import type { StepType } from "../core/model/status.ts";
import type { Call, Told } from "./call.ts";
import type { Occurrences } from "./occurrences.ts";
import type { Session } from "./session.ts";

/** A type of step. `TGiven`: what author code gives a call beside the name; `TChecked`: what is made of it. */
export interface StepKind<TGiven, TChecked> {
  readonly type: StepType;
  /** @throws {WorkflowError} what the call is refused with */
  check(given: TGiven): TChecked;
  /** Not asked of a step that is settled, as most are in a replay. @throws {WorkflowError} as `check` */
  toDecide(identity: StepIdentity, checked: TChecked, given: TGiven): Call["decide"];
}

/** Opens a call: finds its key, and answers from history what is settled. A refused call is told in its turn. */
export type OpenCall = <TGiven, TChecked>(
  kind: StepKind<TGiven, TChecked>,
  name: string,
  given: TGiven,
) => Promise<unknown>;

export const createOpenCall =
  (session: Session, occurrences: Occurrences): OpenCall =>
  (kind, name, given) => {
    const outcome = new Outcome();
    if (session.isOver) warnAfterEnd(session, name);
    else
      try {
        open(session, occurrences, { kind, name, given, told: outcome });
      } catch (error) {
        session.refuse(() => outcome.reject(error));
      }
    return outcome.promise;
  };

/** What author code awaits, told from here. */
class Outcome implements Told {
  readonly promise: Promise<unknown>;
  resolve!: Told["resolve"];
  #fail!: Told["reject"];

  constructor() {
    this.promise = new Promise((resolve, fail) => {
      this.resolve = resolve;
      this.#fail = fail;
    });
  }

  reject(error: unknown): void {
    void unlinked(this.promise);
    this.#fail(error);
  }
}

/** A step that loses a race, or that nobody awaits, must not bring the process down. */
export function unlinked<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

interface Opening<TGiven, TChecked> {
  readonly kind: StepKind<TGiven, TChecked>;
  readonly name: string;
  readonly given: TGiven;
  readonly told: Told;
}

/** @throws {WorkflowError} INVALID_STEP_NAME, STEP_KEY_DUPLICATE, and what the kind throws */
function open<TGiven, TChecked>(
  session: Session,
  occurrences: Occurrences,
  { kind, name: givenName, given, told }: Opening<TGiven, TChecked>,
): void {
  const { type } = kind;
  const name = parseStepName(givenName, session.context.limits);
  const stepKey = occurrences.next(name);
  if (stepKey === null) throw duplicate(name);
  const record = session.known.recordOf(stepKey);
  if (record !== null && record.type !== type)
    return session.fail(diverged(stepKey, record.type, type));
  const checked = kind.check(given);
  if (record !== null && isSettled(record)) {
    if (occurrences.isRepeat(name)) session.refusals.noteIdle();
    return session.openSettled(told, record);
  }
  const newId = session.context.host.newId();
  const decide = kind.toDecide({ newId, stepKey, name, type }, checked, given);
  if (record === null && !session.stepLimit.add(type)) return;
  session.open({ told, stepKey, decide });
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

/** Opens a call of a step: what holds for every type of step before its own decision. */
import type { StepIdentity } from "../core/decide/step-write.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseStepName } from "../core/limits.ts";
import type { HistoryStep } from "../core/model/records.ts";
import type { StepType } from "../core/model/status.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session.ts";

interface Opening {
  readonly name: string;
  readonly type: StepType;
}

/** Opens a call: checks the name, refuses a second one in flight, and answers from history what is settled. */
export function openCall(
  session: Session,
  { name, type }: Opening,
  begin: (call: Call, identity: StepIdentity) => void,
): Promise<unknown> {
  return unlinked(
    new Promise<unknown>((resolve, reject) => {
      if (session.isOver) return warnAfterEnd(session, name);
      const stepKey = parseStepName(name, session.context.limits);
      const record = session.ledger.recordOf(stepKey);
      const call: Call = { stepKey, resolve, reject };
      if (!isAcceptable(session, { record, stepKey, type })) return;
      session.calls.set(stepKey, call);
      if (record !== null && record.settledOrder !== null) {
        session.tell(call, record, record.settledOrder);
        session.schedule();
        return;
      }
      const identity = { newId: session.context.host.newId(), stepKey, name: stepKey, type };
      try {
        begin(call, identity);
      } catch (error) {
        session.calls.delete(stepKey);
        reject(error);
      }
      session.schedule();
    }),
  );
}

/** A step that loses a race, or that nobody awaits, must not bring the process down. */
export function unlinked<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** @throws {WorkflowError} STEP_KEY_DUPLICATE; other violations fail the run whatever the author catches */
function isAcceptable(
  session: Session,
  {
    record,
    stepKey,
    type,
  }: { readonly record: HistoryStep | null; readonly stepKey: string; readonly type: StepType },
): boolean {
  if (session.calls.has(stepKey)) {
    throw new WorkflowError(
      "STEP_KEY_DUPLICATE",
      `step "${stepKey}" is already in flight; give each step its own name`,
      { stepKey },
    );
  }
  if (record !== null && record.type !== type) {
    const message = `step "${stepKey}" is ${type} in the code but ${record.type} in history`;
    session.fail(
      new WorkflowError("HISTORY_DIVERGED", message, {
        stepKey,
        recorded: record.type,
        called: type,
      }),
    );
    return false;
  }
  const { maxStepsPerRun } = session.context.limits;
  if (record === null && type !== "sleep") session.ledger.countedSteps += 1;
  if (record === null && session.ledger.countedSteps > maxStepsPerRun) {
    session.fail(
      new WorkflowError("RUN_STEP_LIMIT", `the run has more than ${maxStepsPerRun} steps`, {
        maxStepsPerRun,
        stepKey,
      }),
    );
    return false;
  }
  return true;
}

function warnAfterEnd(session: Session, name: string): void {
  session.warn("step.called_after_park", { stepKey: name, code: "FOREIGN_AWAIT" });
}

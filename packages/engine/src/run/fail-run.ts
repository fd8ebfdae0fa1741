/** Ends a run whose author code threw: it fails, begins again, or is rolled back first. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type { WorkflowError } from "../core/errors.ts";
import { RollbackError } from "../core/author-errors.ts";
import { late } from "../core/late.ts";
import { loadOrThrow, MissingCode } from "./missing-code.ts";
import { findRollback } from "./find-rollback.ts";
import { leaveToUndo, toRollbackError } from "./leave-to-undo.ts";
import type { StepsAt } from "./open-scope.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";

const retryRun = late(() => import("./retry-run.ts"));
const rollback = late(() => import("./rollback.ts"));

/** A run whose author code is done. */
export interface Failed {
  readonly workflow: RegisteredWorkflow;
  readonly stepsAt: StepsAt;
  readonly place: Place;
  /** What was thrown. */
  readonly error: unknown;
}

/** Never rejects. */
export async function failRun(session: Session, failed: Failed): Promise<void> {
  const { error } = failed;
  const asking = findRollback(error) ?? (leaveToUndo(session) ? toRollbackError(error) : null);
  await retryOrFail(
    session,
    failed.workflow,
    asking === null ? error : await undoRun(session, failed, asking),
  );
}

/** Begins the run again if its workflow says so and nobody has asked it to end. */
async function retryOrFail(
  session: Session,
  { runPolicy }: RegisteredWorkflow,
  error: unknown,
): Promise<void> {
  const isAsked = session.known.endRequested !== null;
  if (runPolicy === null || isAsked || MissingCode.is(error)) return session.fail(error);
  try {
    const { decideRunRetry } = await loadOrThrow(retryRun);
    session.fail(error, decideRunRetry(session, runPolicy, error));
  } catch (failure) {
    session.fail(failure);
  }
}

/** Undoes what the run has done. Never rejects. @returns what the run fails with */
async function undoRun(
  session: Session,
  { stepsAt, place, error }: Failed,
  asking: WorkflowError,
): Promise<unknown> {
  // Nothing that author code left behind continues.
  place.end();
  session.asked.isUndoing = true;
  try {
    const { rollBack } = await loadOrThrow(rollback);
    // From now on, undo code calls steps.
    session.isAuthorDone = false;
    session.authorActed();
    await rollBack(session, (stepKey) => stepsAt(place.ofStep(stepKey)));
    return asking === error ? error : new RollbackError(asking.message, { cause: error });
  } catch (failure) {
    return failure;
  } finally {
    session.authorDone();
  }
}

/** Names what a replay shows of code that changed: in the log at once, in the instance's status with the commit. */
import { findDivergedSteps } from "../core/history/diverged-steps.ts";
import type { DivergedStep } from "../core/model/records.ts";
import type { Session } from "./session.ts";

/** Open steps that code and history disagree on. */
export type Diverged = readonly DivergedStep[];

/** Logs steps of history that author code did not call. */
export function warnUncalled(
  session: Session,
  steps: readonly { readonly stepKey: string }[],
): void {
  if (steps.length === 0) return;
  const stepKeys = steps.map(({ stepKey }) => stepKey);
  session.warn("history.diverged", { stepKeys, code: "HISTORY_DIVERGED" });
}

/**
 * What the instance is to tell of its open steps. Logs those that were not called; a changed type was logged with its call.
 * Ask only once author code has gone as far as it can, and before what is open is closed.
 */
export function nameDivergedSteps(session: Session): Diverged {
  const { known, pending, calls, scopes } = session;
  const written = known.openRecords.filter(({ stepKey }) => !pending.has(stepKey));
  const diverged = findDivergedSteps(
    [...written, ...pending.open],
    (key) => calls.has(key) || scopes.has(key),
  );
  warnUncalled(
    session,
    diverged.filter(({ kind }) => kind === "notCalled"),
  );
  return diverged;
}

/** `step.version` and `step.removed`, for code that changes while runs are under way. */
import type { RemovedKind } from "../authoring/step.ts";
import { WorkflowError } from "../core/errors.ts";
import { toStepWrite } from "../core/model/step-record.ts";
import { isSettled } from "../core/history/history.ts";
import { hasBeenFurther } from "./been-further.ts";
import { identify } from "./identify.ts";
import { otherOutcomes } from "./late-code.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session-interface.ts";

/**
 * Returns the version of the code that a run follows from here on. A run that got further in an earlier replay, with code that
 * did not have the call, follows 1, and needs no row to do so again.
 *
 * @throws {WorkflowError} INVALID_VERSION; as `identify`
 */
export function pinVersion(session: Session, place: Place, name: string, latest: number): number {
  if (!Number.isInteger(latest) || latest < 1 || latest > 2 ** 31 - 1) throw badVersion(latest);
  if (session.isOver) {
    session.warnAfterEnd(name);
    return latest;
  }
  const identified = identify(session, place, "version", name);
  if (identified === null) return latest;
  const { record, stepKey } = identified;
  if (record !== null && isSettled(record)) {
    session.order.passOver(record.settledOrder);
    return Number(record.result);
  }
  if (latest === 1 || hasBeenFurther(session)) return 1;
  if (!session.stepLimit.add("version")) return latest;
  const identity = { newId: session.context.host.newId(), stepKey, name, type: "version" } as const;
  const write = toStepWrite(identity, null, { status: "completed", result: String(latest) });
  session.pending.addSettled({ ...write, ...session.order.allocate() });
  return latest;
}

/**
 * Takes the place of a step that the code no longer calls. The history may have the step, with everything inside it. If there is
 * no such kind, the run fails with INVALID_SCOPE.
 *
 * @throws {WorkflowError} as `identify`
 */
export function passRemoved(session: Session, place: Place, name: string, kind: RemovedKind): void {
  if (session.isOver) return session.warnAfterEnd(name);
  const identified = identify(session, place, kind === "try" ? null : kind, name);
  if (identified === null) return;
  const { stepKey, record } = identified;
  if (record === null) session.known.forgetName(stepKey);
  session.code.with(otherOutcomes, ({ dropSteps }) => dropSteps(session, stepKey, kind));
}

const badVersion = (latest: unknown): WorkflowError =>
  new WorkflowError(
    "INVALID_VERSION",
    `version ${String(latest)} is invalid; expected an integer of at least 1`,
    { latest: String(latest) },
  );

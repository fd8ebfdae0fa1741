/**
 * Closes what is open when a run ends: bodies and waits that a race left behind, or that nobody awaits any more. Loaded when
 * a run first ends like this.
 */
import { createErrorRecord } from "../core/stored-error.ts";
import { decideStartTakenBack } from "../core/decide/attempt-failed.ts";
import type { Change, StepWrite } from "../core/model/change.ts";
import type { DivergedStep, ErrorRecord } from "../core/model/records.ts";
import { toClosedWrite, toOpenWrite } from "./open-write.ts";
import type { Session } from "./session-interface.ts";
import { othersOf } from "./other-pending.ts";

const MESSAGE = "the run ended before this step did; await every step";
const NOT_CALLED_MESSAGE = "the workflow's code no longer calls this step";
const REFUSED_MESSAGE = "the run ended because the database refused to store its changes";
const LEFT_MESSAGE = "the instance was to end with its parent";

/** Closes them in the run's last commit, each with an error that says why. Logs their names, unless the code was abandoned on request. */
export function closeRun(session: Session, diverged: readonly DivergedStep[]): void {
  const uncalled = new Set(
    diverged.filter(({ kind }) => kind === "notCalled").map(({ stepKey }) => stepKey),
  );
  const isLeft = session.known.endRequested === "terminate";
  for (const step of takeOpen(session, session.bodies.drop(MESSAGE))) {
    const message = uncalled.has(step.stepKey) ? NOT_CALLED_MESSAGE : MESSAGE;
    const error = toError(isLeft ? LEFT_MESSAGE : message);
    if (!isLeft) warn(session, step, error);
    close(session, step, error);
  }
}

/**
 * Closes them in the last commit of a run that ends because the database refused a commit for good, and leaves their children.
 * Rows that the refused commit would have settled are still open, and bodies that it was to record have not begun.
 *
 * @param running the attempts of bodies that were abandoned
 */
export function closeRefused(
  session: Session,
  running: readonly StepWrite[],
  refused: readonly Change[],
): void {
  releaseRefused(session, refused);
  session.starts.requeue();
  const error = toError(REFUSED_MESSAGE);
  for (const step of takeOpen(session, running, withRows(refused))) close(session, step, error);
}

/** Leaves the children that a refused commit would have left, with the next commit. */
export function releaseRefused({ pending }: Session, refused: readonly Change[]): void {
  pending.refused();
  othersOf(pending).restore(refused.filter(({ kind }) => kind === "childReleased"));
}

/** The steps of a refused commit that have rows, as it would have written them. */
const withRows = (refused: readonly Change[]): readonly StepWrite[] =>
  refused.flatMap((change) => (change.kind === "step" && change.version > 0 ? [change.step] : []));

/**
 * Takes what is open, each step once.
 *
 * @param running the attempts of bodies that were abandoned
 * @param refused newer states of steps with rows, which are not stored
 */
function takeOpen(
  session: Session,
  running: readonly StepWrite[],
  refused: readonly StepWrite[] = [],
): Iterable<StepWrite> {
  const { known, pending } = session;
  const queued = session.starts.queued.splice(0).map(({ started }) => started);
  // This notes children that nobody waits for any more.
  othersOf(pending);
  const runningKeys = new Set(running.map(({ stepKey }) => stepKey));
  const stored = [...known.openRecords.map(toOpenWrite), ...refused].filter(
    ({ stepKey }) => !runningKeys.has(stepKey) && !pending.settles(stepKey),
  );
  const unwritten = pending.open.filter(({ stepKey }) => !runningKeys.has(stepKey));
  const unstarted = [...calledLast(session), ...queued.map(decideStartTakenBack)];
  const open = [...stored, ...unwritten, ...unstarted, ...running];
  return new Map(open.map((one) => [one.stepKey, one])).values();
}

const close = ({ pending, order }: Session, step: StepWrite, error: ErrorRecord): void =>
  pending.add({ ...toClosedWrite(step, "errored", error), ...order.allocate() });

/** The last calls, whose bodies never started because the run ended first. */
function calledLast({ calledLast: last, calls, pending }: Session): readonly StepWrite[] {
  return last.flatMap((call) => {
    if (pending.has(call.stepKey) || !calls.undecided.includes(call)) return [];
    const decision = call.decide();
    if (decision.kind === "start") return decideStartTakenBack(decision.started);
    return decision.kind === "wait" ? (decision.step ?? []) : [];
  });
}

const toError = (message: string): ErrorRecord =>
  createErrorRecord("STEP_NOT_AWAITED", { name: "StepNotAwaited", message });

const warn = (session: Session, { stepKey }: StepWrite, { code, message }: ErrorRecord): void =>
  session.warn("step.not_awaited", { stepKey, code, message });

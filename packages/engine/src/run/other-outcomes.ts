/**
 * @module Outcomes that are not plain values (failures, and values without a JSON form), requests to end, and ends that leave
 * something open. Loaded when a run of this process first has one.
 */
import type { RetryPolicy } from "../core/backoff.ts";
import { decodeJson, encodeJson } from "../core/codec.ts";
import { decideAttemptCompleted } from "../core/decide/attempt.ts";
import { decideAttemptFailed } from "../core/decide/attempt-failed.ts";
import type { WorkflowError } from "../core/errors.ts";
import type { EndOutcome, RunRetried, StepWrite } from "../core/model/change.ts";
import type { ErrorRecord, HistoryStep, JsonText } from "../core/model/records.ts";
import { askPolicy } from "./ask-policy.ts";
import type { BodyEnd } from "./body.ts";
import type { Receiver } from "./call.ts";
import type { Attempt, OpenDo } from "./do-step.ts";
import { noteFailure } from "./failures.ts";
import { toAskedOutcome } from "./deliver-end-request.ts";
import { logAttemptFailed } from "./log-errors.ts";
import type { Session } from "./session-interface.ts";
import type { Ending, RunRetry } from "./session-end.ts";
import { isFinalError, recordError, retryAfterOf, toStepError } from "./step-error.ts";
import { othersOf } from "./other-pending.ts";
import { outsideStep } from "./refusal-texts.ts";
import { explain } from "./deliver-refusal.ts";

export { decideAgain } from "./attempt-again.ts";
export { toFailed } from "./attempted.ts";
export { closeRun } from "./close-run.ts";
export { dropSteps } from "./drop-steps.ts";
export { decodeJson } from "../core/codec.ts";
export { endRefused } from "./end-refused.ts";
export { endUnbegun } from "./end-unbegun.ts";
export { failRun } from "./fail-run.ts";
export { leaveAuthor, leaveToUndo, deliverCancel, toRollbackError } from "./deliver-end-request.ts";
export { nameDivergedSteps } from "./name-diverged-steps.ts";
export { noteLost } from "./note-lost.ts";
export { refusedError } from "./refused-error.ts";
export { logRunBroken, logRunEnded } from "./log-errors.ts";
export { deliverRefusal, refuseAtOnce, warnAfterEnd, warnInBody } from "./deliver-refusal.ts";
export { withdrawStarts } from "./withdraw-starts.ts";

type FailEnding = Extract<Ending, { kind: "fail" }>;
type FailOutcome = Extract<EndOutcome, { kind: "fail" }> | RunRetried;

/** @returns the error that the run fails with unless author code calls a step in time */
export function warnOutsideStep(session: Session): WorkflowError {
  const error = outsideStep(session.claimed.run);
  session.warn("workflow.await_outside_step", { code: error.code, message: error.message });
  return error;
}

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export const encodeOutput = (output: unknown, maxBytes: number): JsonText | null =>
  encodeJson(output, { maxBytes, what: "the workflow's output" });

/** The outcome of a body, whatever it is. */
export function toOutcome(open: OpenDo, attempt: Attempt, end: BodyEnd): StepWrite {
  if (end.kind === "threw") return failed(open, attempt, end.error);
  const { started, startedAt } = attempt;
  try {
    const { maxStepResultBytes: maxBytes } = open.session.context.limits;
    const what = `the result of step "${started.stepKey}"`;
    return decideAttemptCompleted(started, encodeJson(end.value, { maxBytes, what }), startedAt);
  } catch (error) {
    return failed(open, attempt, error);
  }
}

function failed({ session, doCall }: OpenDo, attempt: Attempt, thrown: unknown): StepWrite {
  const { host, logger, redactError, lifecycle } = session.context;
  const { now, clock } = session.known;
  const { started, startedAt } = attempt;
  const { stepKey, attempts } = started;
  const asked = { attempts, option: "retries", owner: `step "${stepKey}"` } as const;
  let policy: RetryPolicy | null = null;
  try {
    const of = { ...asked, retryAfter: retryAfterOf(thrown), details: { stepKey } };
    if (!isFinalError(thrown)) policy = askPolicy(doCall.config, of, thrown);
  } catch (error) {
    thrown = error;
  }
  const error = recordError(thrown, redactError);
  const failure = {
    error,
    retryAfter: retryAfterOf(thrown),
    now,
    chance: host.random(),
    startedAt,
    endedAt: clock.settle(),
  };
  const step = decideAttemptFailed(started, policy, failure);
  const failedAttempt = { step, error, now };
  logAttemptFailed(logger, session.claimed.run, failedAttempt);
  if (lifecycle.tell !== null) othersOf(session.pending).failed.push(failedAttempt);
  return step;
}

/** Tells a call the outcome of its step, whatever it is. */
export function deliverOther(
  session: Session,
  receiver: Receiver,
  step: HistoryStep | StepWrite,
): void {
  if (step.status === "completed") return receiver.resolve(decodeJson(step.result));
  const error = toStepError(step);
  noteFailure(session, error, step.stepKey);
  receiver.reject(error);
}

/** A run's last outcome, whatever it is. */
export function toLastOutcome(session: Session, ending: Ending): EndOutcome | RunRetried {
  const { known } = session;
  const natural = ending.kind === "complete" ? ending : toFailOutcome(session, ending);
  return natural.kind === "retryRun" || known.endRequested === null
    ? natural
    : toAskedOutcome(known, ending, natural);
}

/** The outcome of a failed run: it fails, or begins again. */
function toFailOutcome(session: Session, { error, retry }: FailEnding): FailOutcome {
  const record = describe(session, explain(error));
  const isRetried = retry !== null && session.known.endRequested === null;
  return isRetried ? toRetried(record, retry) : { kind: "fail", error: record };
}

/** The error that the run fails with, and the step that it came from. */
function describe({ known, context, failures }: Session, error: unknown): ErrorRecord {
  const record = recordError(error, context.redactError);
  const failedStep = failures?.find(error, known);
  return failedStep === undefined ? record : { ...record, failedStep };
}

/** Removes the step and the rollback from the error: they belong to a run that can no longer be retried or rewound. */
const toRetried = (
  { failedStep: _failedStep, ...error }: ErrorRecord,
  retry: RunRetry,
): RunRetried => ({
  kind: "retryRun",
  error: error.code === "ROLLED_BACK" ? { ...error, code: null } : error,
  ...retry,
});

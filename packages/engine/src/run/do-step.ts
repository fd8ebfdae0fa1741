/** `step.do`: one body, its attempts, and its result. */
import type { StepContext } from "../authoring/step-options.ts";
import type { ResolvedStepConfig } from "../authoring/step-config.ts";
import type { RetryPolicy } from "../core/backoff.ts";
import { encodeJson } from "../core/codec.ts";
import { decideAttemptCompleted, decideAttemptFailed } from "../core/decide/attempt.ts";
import { decideDo, type DoCommand } from "../core/decide/do.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import { toIdempotencyKey } from "../core/idempotency-key.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { EpochMs } from "../core/model/records.ts";
import { askPolicy } from "./ask-policy.ts";
import { type BodyEnd, type RunningBody, startBody } from "./body.ts";
import type { Call, CallDecision } from "./call.ts";
import { logAttemptFailed } from "./log-errors.ts";
import type { Session } from "./session.ts";
import { tellProgress } from "./tell-progress.ts";
import { isFinalError, recordError, retryAfterOf } from "./step-error.ts";

export type DoBody = (context: StepContext) => unknown;

export interface DoCall {
  readonly identity: StepIdentity;
  readonly config: ResolvedStepConfig;
  readonly body: DoBody;
}

/** What is to become of a call of `step.do`, whenever it is looked at. */
export function toDoDecision(session: Session, doCall: DoCall): Call["decide"] {
  const { identity, config } = doCall;
  const { policy, timeoutMs } = config;
  const command: DoCommand = { ...identity, maxAttempts: policy.maxAttempts, timeoutMs };
  const { known, context } = session;
  return (): CallDecision => {
    const decision = decideDo(known.openRecordOf(identity.stepKey), command, {
      now: known.now,
      wasNamed: known.wasNamed(identity.stepKey),
      maxLostAttempts: context.limits.maxLostAttempts,
      startsAt: known.clock.settle(),
      runner: context.runner,
    });
    if (decision.kind === "exhausted") return { kind: "settle", at: null, step: decision.step };
    if (decision.kind === "retryLater")
      return { kind: "wait", wake: { at: decision.until }, reason: "retry", step: null };
    return {
      kind: "start",
      started: decision.started,
      begin: (call, started) => begin({ session, call, doCall }, started),
    };
  };
}

interface OpenDo {
  readonly session: Session;
  readonly call: Call;
  readonly doCall: DoCall;
}

function begin(open: OpenDo, started: StepWrite): RunningBody {
  const { session, doCall } = open;
  const { stepKey } = started;
  const { transactions, context, claimed, followed } = session;
  const attempt = started.attempts + started.lostAttempts;
  const { lifecycle } = context;
  const body = transactions === undefined ? doCall.body : transactions.toBody(doCall.body);
  const options = {
    stepKey,
    attempt,
    idempotencyKey: toIdempotencyKey(context.namespace, claimed, stepKey),
    timeoutMs: doCall.config.timeoutMs,
    run:
      followed === undefined ? body : (given: StepContext) => followed.within(started, body, given),
    onProgress: (value: unknown) => tellProgress(session, { stepKey, attempt }, value),
  };
  const { known } = session;
  const startedAt = known.clock.settle();
  followed?.begin(started);
  lifecycle.tell?.({ kind: "began", claimed, step: started, now: known.estimateNow() });
  const startedMs = context.host.elapsedMs();
  return startBody(context.host, options, (end) => {
    session.budget.noteBody(context.host.elapsedMs() - startedMs);
    session.bodyEnded(stepKey);
    recordEnd(open, { started, startedAt }, end);
  });
}

/** What runs, and since when. */
interface Attempt {
  readonly started: StepWrite;
  readonly startedAt: EpochMs;
}

function recordEnd(open: OpenDo, attempt: Attempt, end: BodyEnd): void {
  const { session, call } = open;
  const step = toOutcome(open, attempt, end);
  session.followed?.attemptOver(step);
  if (step.status === "waiting") return session.retry(call, step);
  const fail = (error: unknown): void => recordEnd(open, attempt, { kind: "threw", error });
  session.settle({ call, step, fail });
}

function toOutcome(open: OpenDo, attempt: Attempt, end: BodyEnd): StepWrite {
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
  if (lifecycle.tell !== null) session.pending.noteFailed(failedAttempt);
  return step;
}

/** `step.do`: one body, its attempts, and its result. */
import type { StepContext } from "../authoring/step-options.ts";
import type { ResolvedStepConfig } from "../authoring/step-config.ts";
import { attempt as attemptTo } from "../core/attempt.ts";
import { decideAttemptCompleted } from "../core/decide/attempt.ts";
import { decideStart, type DoCommand } from "../core/decide/first-attempt.ts";
import type { StepIdentity } from "../core/model/step-record.ts";
import { toIdempotencyKey } from "../core/idempotency-key.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { EpochMs } from "../core/model/records.ts";
import { encodePlain } from "../core/plain-codec.ts";
import { isPlain } from "../core/plain-values.ts";
import { type BodyEnd, type DoBody, type RunningBody, startBody } from "./body.ts";
import type { BeginBody, Call, CallDecision } from "./call.ts";
import { otherOutcomes, progressSteps } from "./late-code.ts";
import { unlinked } from "./outcome.ts";
import type { Session } from "./session-interface.ts";
import type { ProgressOf } from "./report-progress.ts";

export interface DoCall {
  readonly identity: StepIdentity;
  readonly config: ResolvedStepConfig;
  readonly body: DoBody;
}

/** Returns the decision function of a `step.do` call. */
export function toDoDecision(session: Session, doCall: DoCall): Call["decide"] {
  const { identity, config } = doCall;
  const { policy, timeoutMs } = config;
  const { newId, stepKey, name, type } = identity;
  const command: DoCommand = {
    newId,
    stepKey,
    name,
    type,
    maxAttempts: policy.maxAttempts,
    timeoutMs,
  };
  const { known, context } = session;
  const toBegin: BeginBody = (call, started) => begin({ session, call, doCall }, started);
  return (): CallDecision => {
    if (hasAttempts(session, stepKey)) {
      const code = session.code.now(otherOutcomes);
      return code === null ? { kind: "later" } : code.decideAgain(session, command, toBegin);
    }
    const by = { startsAt: known.clock.settle(), runner: context.runner };
    return { kind: "start", started: decideStart(command, by), begin: toBegin };
  };
}

/** Whether there were, or may have been, attempts before. What they mean for the next one is decided by code that is loaded then. */
const hasAttempts = ({ known }: Session, stepKey: string): boolean =>
  known.openRecordOf(stepKey) !== null || known.wasNamed(stepKey);

/** A call whose body runs. */
export interface OpenDo {
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
    onProgress: (value: unknown) => tell(session, { stepKey, attempt }, value),
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

/** Reads plain values at once, because author code may change them before the code that reports them is loaded. */
function tell(session: Session, of: ProgressOf, given: unknown): Promise<void> {
  const isRead = !(progressSteps() instanceof Promise) || !attemptTo(() => isPlain(given), false);
  const value = isRead ? given : structuredClone(given);
  return unlinked(
    new Promise((resolve) =>
      session.code.with(progressSteps, ({ tellProgress }) =>
        resolve(tellProgress(session, of, value)),
      ),
    ),
  );
}

/** The attempt that runs, and since when. */
export interface Attempt {
  readonly started: StepWrite;
  readonly startedAt: EpochMs;
}

function recordEnd(open: OpenDo, attempt: Attempt, end: BodyEnd): void {
  const { session } = open;
  const plain = toPlainOutcome(open, attempt, end);
  const settleAs = (step: StepWrite): void => {
    if (!session.isOver) settle(open, attempt, step);
  };
  if (plain !== null) return session.code.inTurn(() => settleAs(plain));
  session.code.with(
    otherOutcomes,
    ({ toOutcome }) => settleAs(toOutcome(open, attempt, end)),
    // A row that says `running` when the next claim comes is of a lost attempt.
    () => session.pending.add(attempt.started),
  );
}

/** null: the attempt failed, or its value has no plain JSON form or is too large. */
function toPlainOutcome(
  { session }: OpenDo,
  { started, startedAt }: Attempt,
  end: BodyEnd,
): StepWrite | null {
  if (end.kind === "threw") return null;
  const text = encodePlain(end.value, session.context.limits.maxStepResultBytes);
  return text === undefined ? null : decideAttemptCompleted(started, text, startedAt);
}

function settle(open: OpenDo, attempt: Attempt, step: StepWrite): void {
  const { session, call } = open;
  session.followed?.attemptOver(step);
  if (step.status === "waiting") return session.retry(call, step);
  const { transactions } = session;
  if (transactions === undefined) return session.settle({ call, step });
  const fail = (error: unknown): void => recordEnd(open, attempt, { kind: "threw", error });
  session.settle({ call, step, fail });
}

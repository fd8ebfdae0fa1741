/** `step.do`: one body, its attempts, and its result. */
import type { StepContext } from "../authoring/step.ts";
import type { ResolvedStepConfig } from "../authoring/step-config.ts";
import { encodeJson, toErrorRecord } from "../core/codec.ts";
import { decideAttemptCompleted, decideAttemptFailed } from "../core/decide/attempt.ts";
import { decideDo, type DoCommand } from "../core/decide/do.ts";
import type { StepIdentity } from "../core/decide/step-write.ts";
import { WorkflowError } from "../core/errors.ts";
import type { StepWrite } from "../core/model/change.ts";
import type { RunRef } from "../core/model/records.ts";
import { type BodyEnd, type RunningBody, startBody } from "./body.ts";
import type { Call } from "./call.ts";
import type { Session } from "./session.ts";

export type DoBody = (context: StepContext) => unknown;

export interface DoCall {
  readonly identity: StepIdentity;
  readonly config: ResolvedStepConfig;
  readonly body: DoBody;
}

interface OpenDo {
  readonly session: Session;
  readonly call: Call;
  readonly command: DoCommand;
  readonly config: ResolvedStepConfig;
  readonly body: DoBody;
}

export function beginDo(session: Session, call: Call, { identity, config, body }: DoCall): void {
  const command = {
    ...identity,
    maxAttempts: config.policy.maxAttempts,
    timeoutMs: config.timeoutMs,
  };
  decide({ session, call, command, config, body });
}

function decide(open: OpenDo): void {
  const { session, call, command } = open;
  const { lostClaims } = session;
  const record = session.ledger.openRecordOf(call.stepKey);
  const decision = decideDo(record, command, { now: session.ledger.now, lostClaims });
  if (decision.kind === "exhausted")
    session.takeover.begin(() => session.settle({ call, step: decision.step }));
  if (decision.kind === "retryLater") awaitRetry(open, { at: decision.until });
  if (decision.kind !== "run") return;
  session.waits.delete(call.stepKey);
  session.start({ started: decision.started, begin: (started) => begin(open, started) });
}

function awaitRetry(open: OpenDo, wake: { readonly at: number } | { readonly inMs: number }): void {
  const { session, call } = open;
  const redecide = (): void => {
    // An attempt that failed while a commit was under way counts only with the next one.
    if (!session.ledger.isNoted(call.stepKey)) decide(open);
  };
  session.waits.set(call.stepKey, { wake, kind: "retry", redecide });
}

function begin(open: OpenDo, started: StepWrite): RunningBody {
  const { session, call, body, config } = open;
  const options = {
    stepKey: call.stepKey,
    attempt: started.attempts,
    idempotencyKey: toIdempotencyKey(session.claimed.run, call.stepKey),
    timeoutMs: config.timeoutMs,
    run: body,
  };
  return startBody(session.context.host, options, (end) => {
    session.bodyEnded(call.stepKey);
    recordEnd(open, started, end);
  });
}

function recordEnd(open: OpenDo, started: StepWrite, end: BodyEnd): void {
  const { session, call } = open;
  const step = toOutcome(open, started, end);
  if (step.status !== "waiting") {
    const fail = (error: unknown): void => recordEnd(open, started, { kind: "threw", error });
    return session.settle({ call, step, fail });
  }
  session.ledger.write(step);
  awaitRetry(open, step.nextRetry ?? { inMs: 0 });
}

function toOutcome(open: OpenDo, started: StepWrite, end: BodyEnd): StepWrite {
  if (end.kind === "threw") return failed(open, started, end.error);
  try {
    const maxBytes = open.session.context.limits.maxStepResultBytes;
    const result = encodeJson(end.value, {
      maxBytes,
      what: `the result of step "${started.stepKey}"`,
    });
    return decideAttemptCompleted(started, result);
  } catch (error) {
    return failed(open, started, error);
  }
}

const failed = ({ session, config }: OpenDo, started: StepWrite, error: unknown): StepWrite =>
  decideAttemptFailed(started, config.policy, {
    error: toErrorRecord(error),
    isFinal: WorkflowError.is(error) && FINAL_CODES.has(error.code),
    retryAfterMs: retryAfterOf(error),
    chance: session.context.host.random(),
  });

/** Another attempt would end the same way. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "NON_RETRYABLE",
  "NOT_SERIALIZABLE",
  "PAYLOAD_TOO_LARGE",
  "STEP_TRANSACTION_UNSUPPORTED",
]);

/** An error may carry its own delay, for instance from a Retry-After header: `error.retryAfterMs`. */
function retryAfterOf(error: unknown): number | null {
  if (typeof error !== "object" || error === null || !("retryAfterMs" in error)) return null;
  const { retryAfterMs } = error;
  return typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs) && retryAfterMs >= 0
    ? retryAfterMs
    : null;
}

/** The same for every attempt of a step in a run; another after a restart. */
export const toIdempotencyKey = (run: RunRef, stepKey: string): string =>
  `${run.workflowName}/${run.instanceId}/${run.runNumber}/${stepKey}`;

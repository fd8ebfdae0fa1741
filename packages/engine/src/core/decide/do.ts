/** Decides what a call of `step.do` does, given the step's history. */
import { createErrorRecord } from "../stored-error.ts";
import { addFailedAttempt } from "../failed-attempts.ts";
import type { StepWrite } from "../model/change.ts";
import type { EpochMs, ErrorRecord, JsonText, StepRecord } from "../model/records.ts";
import { toStepWrite } from "../model/step-record.ts";
import {
  decideStart,
  type DoCommand,
  type StartedBy,
  UNBOUNDED_ATTEMPTS,
} from "./first-attempt.ts";

export interface DoSituation extends StartedBy {
  /** Database time, as last read. */
  readonly now: EpochMs;
  /** A commit named this step as about to start, and it has had no row since. */
  readonly wasNamed: boolean;
  /** How many attempts of one step may die with their process. */
  readonly maxLostAttempts: number;
}

/**
 * `run`: start the body; `started` is the row that says so. `retryLater`: its next attempt is not due. `exhausted`: no
 * attempt is left.
 */
export type DoDecision =
  | { readonly kind: "run"; readonly started: StepWrite }
  | { readonly kind: "retryLater"; readonly until: EpochMs }
  | { readonly kind: "exhausted"; readonly step: StepWrite };

/**
 * Decides whether a body runs. An attempt that died with its process does not use up a retry; such attempts are counted
 * separately and have their own limit.
 *
 * @param record of a step without an outcome
 * @source founding specs 000 §9.2, 002 §4.3; design §4
 */
export function decideDo(
  record: StepRecord | null,
  command: DoCommand,
  situation: DoSituation,
): DoDecision {
  if (
    record?.status === "waiting" &&
    record.nextRetryAt !== null &&
    record.nextRetryAt > situation.now
  ) {
    return { kind: "retryLater", until: record.nextRetryAt };
  }
  const counts = countAttempts(record, situation);
  const maxAttempts = Math.min(command.maxAttempts, UNBOUNDED_ATTEMPTS);
  const { timeoutMs } = command;
  const { lost: lostAttempts, used } = counts;
  const maxLost = maxAttempts === 1 ? 0 : situation.maxLostAttempts;
  const isLost = lostAttempts > maxLost;
  const failedAttempts = withLost(record, situation);
  if (isLost || used >= maxAttempts) {
    const attempts = Math.min(used, maxAttempts);
    const error = isLost ? LOST_TOO_OFTEN : (record?.error ?? LOST_TOO_OFTEN);
    const patch = {
      status: "errored",
      attempts,
      lostAttempts,
      maxAttempts,
      timeoutMs,
      error,
      failedAttempts,
    } as const;
    return { kind: "exhausted", step: toStepWrite(command, record, patch) };
  }
  const started = decideStart(command, situation, {
    record,
    attempts: used + 1,
    lostAttempts,
    failedAttempts,
  });
  return { kind: "run", started };
}

/** The failed attempts. If `countAttempts` counts a lost one, it is added with what is known of it. */
function withLost(record: StepRecord | null, { wasNamed }: DoSituation): JsonText | null {
  const kept = record?.failedAttempts ?? null;
  if (record === null ? !wasNamed : record.status !== "running") return kept;
  return addFailedAttempt(kept, {
    attempt: record === null ? 1 : record.attempts + record.lostAttempts,
    startedAt: record?.attemptStartedAt ?? null,
    endedAt: null,
    runner: record?.runner ?? null,
    error: null,
  });
}

/** A row that still says `running` belongs to an attempt whose process died, and so does a name without a row. */
function countAttempts(
  record: StepRecord | null,
  { wasNamed }: DoSituation,
): { readonly used: number; readonly lost: number } {
  if (record === null) return { used: 0, lost: wasNamed ? 1 : 0 };
  const isLost = record.status === "running";
  return {
    used: record.attempts - (isLost ? 1 : 0),
    lost: record.lostAttempts + (isLost ? 1 : 0),
  };
}

/** Name and message are those of founding spec 002 §4.3. If an attempt threw, its error is kept, even if the limit was lowered since. */
const LOST_TOO_OFTEN: ErrorRecord = createErrorRecord("STEP_MAX_ATTEMPTS_EXCEEDED", {
  name: "StepMaxAttemptsExceeded",
  message: "STEP_MAX_ATTEMPTS_EXCEEDED",
});

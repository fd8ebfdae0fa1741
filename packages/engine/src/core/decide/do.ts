/** What a call of `step.do` means, given what history says of the step. */
import type { StepWrite } from "../model/change.ts";
import type { DurationMs, EpochMs, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "./step-write.ts";

/** Attempts without bound are stored as this. */
export const UNBOUNDED_ATTEMPTS = 2_147_483_647;

export interface DoCommand extends StepIdentity {
  /** ≥ 1; Infinity: no bound. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs;
}

export interface DoSituation {
  /** Database time of the claim. */
  readonly now: EpochMs;
  /** Claims in a row before this one that ended without a commit: each may have started this body. */
  readonly lostClaims: number;
}

/**
 * `settled`: history has the outcome. `run`: start the body; `started` is the row that says so, to be committed before
 * the body starts unless the claim covers it. `retryLater`: its next attempt is not due. `exhausted`: no attempt is left.
 */
export type DoDecision =
  | { readonly kind: "settled" }
  | { readonly kind: "run"; readonly started: StepWrite }
  | { readonly kind: "retryLater"; readonly until: EpochMs }
  | { readonly kind: "exhausted"; readonly step: StepWrite };

/**
 * Decides whether a body runs. Attempts that a lost runner may have made count as made, so a body never starts more
 * often than `maxAttempts`, whatever is killed.
 *
 * @source founding specs 000 §9.2, 002 §4.3; design §4
 */
export function decideDo(
  record: StepRecord | null,
  command: DoCommand,
  situation: DoSituation,
): DoDecision {
  if (record?.status === "completed" || record?.status === "errored") return { kind: "settled" };
  if (
    record?.status === "waiting" &&
    record.nextRetryAt !== null &&
    record.nextRetryAt > situation.now
  ) {
    return { kind: "retryLater", until: record.nextRetryAt };
  }
  const used = (record?.attempts ?? 0) + situation.lostClaims;
  const lost = situation.lostClaims + (record?.status === "running" ? 1 : 0);
  const maxAttempts = Math.min(command.maxAttempts, UNBOUNDED_ATTEMPTS);
  const counts = {
    maxAttempts,
    timeoutMs: command.timeoutMs,
    lostAttempts: Math.min((record?.lostAttempts ?? 0) + lost, maxAttempts),
  };
  if (used >= maxAttempts) return { kind: "exhausted", step: exhausted(record, command, counts) };
  const started = toStepWrite(command, record, {
    status: "running",
    attempts: used + 1,
    ...counts,
  });
  return { kind: "run", started };
}

/** Name and message are those of founding spec 002 §4.3. */
function exhausted(
  record: StepRecord | null,
  command: DoCommand,
  counts: Pick<StepWrite, "maxAttempts" | "timeoutMs" | "lostAttempts">,
): StepWrite {
  const error = { name: "StepMaxAttemptsExceeded", message: "STEP_MAX_ATTEMPTS_EXCEEDED" };
  return toStepWrite(command, record, {
    status: "errored",
    attempts: counts.maxAttempts,
    error,
    ...counts,
  });
}

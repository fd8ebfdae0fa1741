/** What the start of a body writes: all that a step comes to which has no attempt behind it. */
import type { StepWrite } from "../model/change.ts";
import type { DurationMs, EpochMs, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "../model/step-record.ts";

/** Attempts without bound are stored as this. */
export const UNBOUNDED_ATTEMPTS = 2_147_483_647;

export interface DoCommand extends StepIdentity {
  /** ≥ 1; Infinity: no bound. 1: the body never starts twice, whatever becomes of its process. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs;
}

export interface StartedBy {
  /** When a body that runs starts, as far as it can be told before. */
  readonly startsAt: EpochMs;
  /** The process that decides, as it calls itself. */
  readonly runner: string;
}

/** What is there of earlier attempts. */
interface Earlier extends Pick<StepWrite, "attempts" | "lostAttempts" | "failedAttempts"> {
  readonly record: StepRecord | null;
}

const NONE: Earlier = { record: null, attempts: 1, lostAttempts: 0, failedAttempts: null };

/** The row that says that a body runs. @param earlier with `attempts` that count the present one @default it is the first */
export const decideStart = (
  command: DoCommand,
  { startsAt, runner }: StartedBy,
  { record, attempts, lostAttempts, failedAttempts }: Earlier = NONE,
): StepWrite =>
  toStepWrite(command, record, {
    status: "running",
    attempts,
    lostAttempts,
    failedAttempts,
    maxAttempts: Math.min(command.maxAttempts, UNBOUNDED_ATTEMPTS),
    timeoutMs: command.timeoutMs,
    attemptStartedAt: startsAt,
    runner,
  });

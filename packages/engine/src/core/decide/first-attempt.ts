/** The row that the start of a body writes. Separate from the rest, because a step without an earlier attempt needs nothing else. */
import type { StepWrite } from "../model/change.ts";
import type { DurationMs, EpochMs, StepRecord } from "../model/records.ts";
import { type StepIdentity, toStepWrite } from "../model/step-record.ts";

/** An unlimited number of attempts is stored as this. */
export const UNBOUNDED_ATTEMPTS = 2_147_483_647;

export interface DoCommand extends StepIdentity {
  /** ≥ 1; Infinity: no limit. 1: the body never starts twice, whatever happens to its process. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs;
}

export interface StartedBy {
  /** When the body starts, if it runs; an estimate, because the row is written before. */
  readonly startsAt: EpochMs;
  /** The deciding process, by the name that it gives itself. */
  readonly runner: string;
}

/** What is known of earlier attempts. */
interface Earlier extends Pick<StepWrite, "attempts" | "lostAttempts" | "failedAttempts"> {
  readonly record: StepRecord | null;
}

const NONE: Earlier = { record: null, attempts: 1, lostAttempts: 0, failedAttempts: null };

/** The row that says that a body runs. @param earlier its `attempts` include the current one @default this is the first attempt */
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

/** The records of the store, as the core sees them. A missing value is `null`; an instant ends in `At` and is database time. */
import type { InstanceStatusName, StepStatus, StepType } from "./status.ts";

/** Milliseconds since 1970-01-01 UTC by the database's clock. */
export type EpochMs = number;

/** A length of time in milliseconds, ≥ 0. */
export type DurationMs = number;

/** A value encoded by `core/codec.ts`: JSON text, safe for every store. */
export type JsonText = string;

/** One life of an instance. */
export interface RunRef {
  readonly workflowName: string;
  readonly instanceId: string;
  /** Starts at 1 and rises on restart. */
  readonly runNumber: number;
}

/** The parts of an error that a store keeps as one JSON text, beside name and message. */
export interface ErrorDetail {
  /** The error's own `code`. One of Escapement's codes is here only if Escapement made the error. */
  readonly code: string | null;
  /** The error's `details` and its other own fields as plain JSON, at most 16 KiB. */
  readonly details: Readonly<Record<string, unknown>> | null;
  /** At most 8 KiB. */
  readonly stack: string | null;
  /** At most five deep. */
  readonly cause: ErrorRecord | null;
}

/** An error as it is stored and shown: at most 64 KiB of JSON, made by `core/error-record.ts`. */
export interface ErrorRecord extends ErrorDetail {
  /** At most 256 bytes. */
  readonly name: string;
  /** At most 8 KiB. */
  readonly message: string;
  /**
   * For the error that a run failed with: the step it comes from, or the one that settled first if it comes from several. Absent: it
   * comes from no step, or an earlier version has stored it.
   */
  readonly failedStep?: string;
}

/**
 * How a run was asked from outside to end: `cancel` tells author code, `rollback` undoes what the run has done, `terminate` leaves it
 * as it is, and is only requested when the parent ends. `deadline` tells author code too, and is requested by the database's clock.
 */
export type EndRequest = "cancel" | "rollback" | "terminate" | "deadline";

/** What happens to a child when its parent no longer waits for it: it continues, or is ended. */
export type OnParentEnd = "abandon" | "terminate" | "rollback";

/** The step that started an instance and waits for its end. */
export interface ParentRef extends RunRef {
  readonly stepKey: string;
  readonly onParentEnd: OnParentEnd;
}

/** A step that history had open, and that the workflow's code did not call when it last ran, or called in another way. */
export interface DivergedStep {
  /** `notCalled`: the code went as far as it could without calling it. `eventTypeChanged`: it asks for another type of event. */
  readonly kind: "notCalled" | "eventTypeChanged";
  readonly stepKey: string;
  /** The event type in the history; null: the step is not a wait for an event. */
  readonly recorded: string | null;
  /** The event type that the code asks for, which applies; null: the code does not call the step. */
  readonly called: string | null;
}

/** Where a fork comes from: an instance that begins with a copy of another one's steps. */
export interface ForkOrigin {
  readonly instanceId: string;
  readonly runNumber: number;
  /** The first step that was not copied. */
  readonly stepKey: string;
}

export interface InstanceRecord extends RunRef {
  readonly status: InstanceStatusName;
  readonly params: JsonText | null;
  readonly output: JsonText | null;
  readonly error: ErrorRecord | null;
  /** From the last commit that parked or ended the run; empty: none. At most 10, in 4 KiB of JSON. */
  readonly diverged: readonly DivergedStep[];
  readonly pauseRequested: boolean;
  /** The end request of the current run, even if the run has ended since; null: none. */
  readonly endRequested: EndRequest | null;
  /** null: not started by a step. */
  readonly parent: ParentRef | null;
  /** null: not a fork. */
  readonly forkedFrom: ForkOrigin | null;
  /** How often in a row the run has begun again after it failed as a whole, as its workflow's `runRetries` says. */
  readonly retryCount: number;
  /** When the run is asked to end; null: never. An earlier end request stays in effect. */
  readonly deadlineAt: EpochMs | null;
  /** See `parseTags`; each tag once. */
  readonly tags: readonly string[];
  /** null: none. */
  readonly memo: JsonText | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** The first claim of the run. For a run that is to start later and was never claimed, its start: an instant after `updatedAt`. */
  readonly startedAt: EpochMs | null;
  readonly completedAt: EpochMs | null;
}

/** A step as replay needs it: one per step key and run. */
export interface StepRecord {
  readonly id: string;
  readonly stepKey: string;
  readonly name: string;
  readonly type: StepType;
  readonly status: StepStatus;
  /** Attempts that count against `maxAttempts`, including the running one. Never above it. */
  readonly attempts: number;
  /** Further attempts, which ended with their process (killed, cut off by the platform) instead of an outcome. */
  readonly lostAttempts: number;
  /** `retries.limit + 1`; Infinity is stored as 2^31 - 1. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs | null;
  /** The instant of the next attempt, only while the step is `waiting` for one. */
  readonly nextRetryAt: EpochMs | null;
  /** End of a sleep, or deadline of a wait. */
  readonly wakeAt: EpochMs | null;
  /** The event types that the step waits for; several are joined by `toWaitTypes`. */
  readonly waitEventType: string | null;
  /** For an open wait or a scope: data for its next replay. */
  readonly result: JsonText | null;
  /** The error of the last attempt, or the one that ended the step; on an open wait HISTORY_DIVERGED, if its event type has changed. */
  readonly error: ErrorRecord | null;
  /** When the body of the last attempt started; null: no attempt started, or unknown. */
  readonly attemptStartedAt: EpochMs | null;
  /** The process that ran that attempt, by the name that it gives itself; null: unknown. */
  readonly runner: string | null;
  /** Attempts that failed or were lost: see `core/failed-attempts.ts`; null: none. */
  readonly failedAttempts: JsonText | null;
  /** 1-based order in which the steps of a run settled; null while the step is open. Replay settles in this order. */
  readonly settledOrder: number | null;
  /** Rises with each write of the row. See `StepChange.version`. */
  readonly version: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** How a step ends. */
export type SettledStatus = Extract<StepStatus, "completed" | "errored" | "cancelled">;

/**
 * A settled step as replay needs it: a fraction of its row, because every claim reads the whole of a long history.
 */
export interface SettledStep {
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: SettledStatus;
  readonly attempts: number;
  readonly result: JsonText | null;
  readonly error: ErrorRecord | null;
  readonly settledOrder: number;
  /** When it settled: the value of `step.now`. */
  readonly updatedAt: EpochMs;
  /** JSON array of `StepChange.startedKeys`; null: none. */
  readonly startedKeys: JsonText | null;
}

/** The position of an outcome among those of its run. */
export type Settlement = Pick<SettledStep, "settledOrder" | "updatedAt">;

/** A step's row as replay reads it, settled or not. */
export type HistoryStep = SettledStep | StepRecord;

/** Data sent to an instance, buffered until a wait consumes it. */
export interface EventRecord {
  readonly id: string;
  /** Rises in the order in which the instance's events were accepted. */
  readonly sequence: number;
  readonly type: string;
  readonly payload: JsonText | null;
  /** The sender's own id; null: none given. */
  readonly eventId: string | null;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
  /** W3C traceparent of the sender. Absent: unknown, or the page does not include it; most senders are not traced. */
  readonly traceContext?: string;
}

/** Proof of a claim. Every write of a runner carries it; a store applies nothing once the task has another token. */
export interface Lease {
  readonly taskId: string;
  /** Made by `toLeaseToken`: unique per claim of the run, not per runner. */
  readonly token: string;
  /** Row id of the instance, for a direct lookup. */
  readonly instanceRowId: string;
}

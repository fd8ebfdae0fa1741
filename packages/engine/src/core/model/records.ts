/** What the store keeps, as the core sees it. Absent is `null`; an instant ends in `At` and is database time. */
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

/** What a store keeps of an error beside its name and message, as one JSON text. */
export interface ErrorDetail {
  /** The error's own `code`. A code of Escapement stands only where Escapement made the error. */
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
   * Of the error that a run failed with: the step that it is of, the one which settled first where it is of several. Absent: it is of
   * none, or an earlier version has stored it.
   */
  readonly failedStep?: string;
}

/**
 * How a run was asked from outside to end: `cancel` tells author code, `rollback` undoes what it has done. `terminate` leaves it,
 * and is asked by the end of its parent alone. `deadline` tells author code too, and is asked by the database's clock.
 */
export type EndRequest = "cancel" | "rollback" | "terminate" | "deadline";

/** What becomes of a child whose parent does not wait for it any more: it goes on, or is ended. */
export type OnParentEnd = "abandon" | "terminate" | "rollback";

/** The step that started an instance and waits for its end. */
export interface ParentRef extends RunRef {
  readonly stepKey: string;
  readonly onParentEnd: OnParentEnd;
}

/** A step that history held open, and that the workflow's code did not call when it last ran, or calls in another way. */
export interface DivergedStep {
  /** `notCalled`: the code went as far as it could without it. `eventTypeChanged`: it asks for another type of event. */
  readonly kind: "notCalled" | "eventTypeChanged";
  readonly stepKey: string;
  /** Type of event that history has; null: the step is no wait for an event. */
  readonly recorded: string | null;
  /** Type of event that the code asks for, which holds; null: it does not call the step. */
  readonly called: string | null;
}

/** What an instance began with that is a fork: a copy of another one's steps. */
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
  /** As the last commit said that parked or ended the run; empty: none. At most 10, in 4 KiB of JSON. */
  readonly diverged: readonly DivergedStep[];
  readonly pauseRequested: boolean;
  /** Asked of the present run, whether or not it has ended since; null: nothing was. */
  readonly endRequested: EndRequest | null;
  /** null: no step started it. */
  readonly parent: ParentRef | null;
  /** null: it was created. */
  readonly forkedFrom: ForkOrigin | null;
  /** How often in a row a run that failed as a whole has begun again, as `runRetries` of its workflow says. */
  readonly retryCount: number;
  /** When the run is asked to end; null: never. What the run was asked before stands. */
  readonly deadlineAt: EpochMs | null;
  /** See `parseTags`; each once. */
  readonly tags: readonly string[];
  /** null: none. */
  readonly memo: JsonText | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** First claim of the run; of one that is to start later and was never claimed, when: an instant after `updatedAt`. */
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
  /** Attempts that count against `maxAttempts`, the running one included. Never above it. */
  readonly attempts: number;
  /** Attempts beside those, that ended with their process (killed, cut off by the platform) instead of an outcome. */
  readonly lostAttempts: number;
  /** `retries.limit + 1`; Infinity is stored as 2^31 - 1. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs | null;
  /** Instant of the next attempt, only while `waiting` for one. */
  readonly nextRetryAt: EpochMs | null;
  /** End of a sleep, or deadline of a wait. */
  readonly wakeAt: EpochMs | null;
  /** Types of events that the step waits for: several in `toWaitTypes` of them. */
  readonly waitEventType: string | null;
  /** Of a wait that is open, and of a scope: what it keeps for its next replay. */
  readonly result: JsonText | null;
  /** Of the last attempt, or what ended the step; on an open wait HISTORY_DIVERGED, if its type of event has changed. */
  readonly error: ErrorRecord | null;
  /** When the body of the last attempt started; null: none did, or it is not known. */
  readonly attemptStartedAt: EpochMs | null;
  /** The process that ran that attempt, as it calls itself; null: not known. */
  readonly runner: string | null;
  /** Attempts that failed or were lost: see `core/failed-attempts.ts`; null: none. */
  readonly failedAttempts: JsonText | null;
  /** 1-based order in which the steps of a run were settled; null while the step is open. Replay settles in this order. */
  readonly settledOrder: number | null;
  /** Rises with each write of the row. See `StepChange.version`. */
  readonly version: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** How a step ends. */
export type SettledStatus = Extract<StepStatus, "completed" | "errored" | "cancelled">;

/**
 * A settled step as replay needs it: a fraction of its row, since a long history is read whole at every claim.
 */
export interface SettledStep {
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: SettledStatus;
  readonly attempts: number;
  readonly result: JsonText | null;
  readonly error: ErrorRecord | null;
  readonly settledOrder: number;
  /** When it settled, as `step.now` tells it. */
  readonly updatedAt: EpochMs;
  /** JSON array of `StepChange.startedKeys`; null: none. */
  readonly startedKeys: JsonText | null;
}

/** Where an outcome stands among those of its run. */
export type Settlement = Pick<SettledStep, "settledOrder" | "updatedAt">;

/** What a step's row is to replay, settled or not. */
export type HistoryStep = SettledStep | StepRecord;

/** Data sent to an instance, buffered until a wait consumes it. */
export interface EventRecord {
  readonly id: string;
  /** Rises in the order in which the instance's events were accepted. */
  readonly sequence: number;
  readonly type: string;
  readonly payload: JsonText | null;
  /** The sender's own id; null: it gave none. */
  readonly eventId: string | null;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
  /** W3C traceparent of what sent it. Absent: none is known, or the page does not tell it; most senders are not traced. */
  readonly traceContext?: string;
}

/** Proof of a claim. Every write of a runner carries it; a store applies nothing once the task has another token. */
export interface Lease {
  readonly taskId: string;
  /** Of `toLeaseToken`: unique per claim of the run, not per runner. */
  readonly token: string;
  /** Row id of the instance: the shortest way to it. */
  readonly instanceRowId: string;
}

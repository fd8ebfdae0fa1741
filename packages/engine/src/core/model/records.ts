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

/** An error as it is stored and shown. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
}

export interface InstanceRecord extends RunRef {
  readonly status: InstanceStatusName;
  readonly params: JsonText | null;
  readonly output: JsonText | null;
  readonly error: ErrorRecord | null;
  readonly pauseRequested: boolean;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
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
  /** Attempts counted so far, lost ones included. Never above `maxAttempts`. */
  readonly attempts: number;
  /** How many of them ended with their runner (killed, timed out by the platform) instead of an outcome. */
  readonly lostAttempts: number;
  /** `retries.limit + 1`; Infinity is stored as 2^31 - 1. */
  readonly maxAttempts: number;
  readonly timeoutMs: DurationMs | null;
  /** Instant of the next attempt, only while `waiting` for one. */
  readonly nextRetryAt: EpochMs | null;
  /** End of a sleep, or deadline of a wait. */
  readonly wakeAt: EpochMs | null;
  readonly waitEventType: string | null;
  readonly result: JsonText | null;
  readonly error: ErrorRecord | null;
  /** 1-based order in which the steps of a run were settled; null while the step is open. Replay settles in this order. */
  readonly settledOrder: number | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/**
 * A settled step as replay needs it: a fraction of its row, since a long history is read whole at every claim.
 */
export interface SettledStep {
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: Extract<StepStatus, "completed" | "errored">;
  readonly attempts: number;
  readonly result: JsonText | null;
  readonly error: ErrorRecord | null;
  readonly settledOrder: number;
}

/** What a step's row is to replay, settled or not. */
export type HistoryStep = SettledStep | StepRecord;

/** Data sent to an instance, buffered until a wait consumes it. */
export interface EventRecord {
  readonly id: string;
  /** Rises in the order in which the instance's events were accepted. */
  readonly sequence: number;
  readonly type: string;
  readonly payload: JsonText | null;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
}

/** Proof of a claim. Every write of a runner carries it; a store applies nothing once the task has another token. */
export interface Lease {
  readonly taskId: string;
  /** Unique per claim, not per runner. */
  readonly token: string;
  /** Row id of the instance: the shortest way to it. */
  readonly instanceRowId: string;
}

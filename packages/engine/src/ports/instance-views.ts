/** What is told of instances: their state, pages of them, and pages of their histories. Values are decoded JSON. */
import type {
  DivergedStep,
  EndRequest,
  EpochMs,
  ErrorRecord,
  ForkOrigin,
  ParentRef,
} from "../core/model/records.ts";
import type { FailedAttempt } from "../core/failed-attempts.ts";
import type { WaitsFor } from "../core/waits-for.ts";
import type { InstanceStatusName, StepStatus, StepType } from "../core/model/status.ts";

/** State of an instance as callers see it. `unknown` is for readers of stores newer than themselves. */
export interface InstanceStatus<TOutput = unknown> {
  readonly status: InstanceStatusName | "unknown";
  /** Which life of the instance this is; rises on restart. */
  readonly runNumber: number;
  readonly error?: ErrorRecord;
  /** What the workflow returned, as its `output` schema parsed it. */
  readonly output?: TOutput;
  /**
   * Steps that history held open and that the code did not call when it last ran, and open waits that it calls for another
   * type of event. The first 10, at most 4 KiB of JSON; absent: there is none.
   */
  readonly diverged?: readonly DivergedStep[];
  /** When it is due to start, of an instance that is to start later and has not. Absent in the answer of a create within Fragno. */
  readonly startsAt?: EpochMs;
  /** How it was asked to end, and has not yet: by `cancel`, by `terminate` with a rollback, by the end of its parent, or by its deadline. */
  readonly endRequested?: EndRequest;
  /** The step of another run that started it and waits for its end. */
  readonly parent?: ParentRef;
  /** What it began with, if it is a fork: the steps of another instance before this one. */
  readonly forkedFrom?: ForkOrigin;
  /**
   * How often in a row a run that failed has begun again, as `runRetries` of its workflow says: `startsAt` is when the next one begins,
   * `error` what the last one failed with, until the present one first waits or ends. Absent: it has not.
   */
  readonly retryCount?: number;
  /** When the run is asked to end, if it has not ended before. */
  readonly deadlineAt?: EpochMs;
  /** Absent: none. */
  readonly tags?: readonly string[];
  readonly memo?: unknown;
  /** Bytes of the output, which a list left out for its size; the instance itself has it. */
  readonly omittedBytes?: number;
}

/**
 * Which results, payloads and outputs a page shows. `small`: those up to 16 KiB; of others only the size. `full`: all.
 *
 * A page ends before it is larger than 1 MB, with one item at least; `cursor` goes on from there.
 */
export type PayloadsShown = "small" | "full";

/** One instance as callers see it. */
export interface InstanceView {
  readonly id: string;
  readonly details: InstanceStatus;
}

export interface ListInstancesInput {
  readonly status?: InstanceStatusName;
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** @default "small" */
  readonly payloads?: PayloadsShown;
  readonly cursor?: string;
}

export interface ListInstancesOutput {
  readonly instances: readonly InstanceView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
}

export interface HistoryInput {
  /** @default the current run */
  readonly runNumber?: number;
  /** Steps and events per page, 1–1000: fewer where they are more than 1 MB. @default 100 */
  readonly pageSize?: number;
  /** @default "small" */
  readonly payloads?: PayloadsShown;
  readonly cursor?: string;
}

/** A step of a run, and its attempts: those that failed or were lost, and the last one by `attemptStartedAt` and `runner`. */
export interface StepView {
  readonly name: string;
  readonly stepKey: string;
  readonly type: StepType;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly lostAttempts: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number | null;
  readonly nextRetryAt: EpochMs | null;
  readonly wakeAt: EpochMs | null;
  readonly waitEventType: string | null;
  /** What it waits for now; null: nothing. */
  readonly waitsFor: WaitsFor | null;
  /** When the body of the last attempt started; null: none did, or it is not known. Of a settled step it ended at `updatedAt`. */
  readonly attemptStartedAt: EpochMs | null;
  /** The process that ran that attempt, as it calls itself; null: not known. */
  readonly runner: string | null;
  /** Oldest first, the last 20. Attempts of a version before this are not among them. */
  readonly failedAttempts: readonly FailedAttempt[];
  readonly result: unknown;
  /** Bytes of the result, which was left out for its size. */
  readonly omittedBytes?: number;
  readonly error: ErrorRecord | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
  /** Bytes of the payload, which was left out for its size. */
  readonly omittedBytes?: number;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
}

export interface HistoryOutput {
  readonly runNumber: number;
  readonly steps: readonly StepView[];
  readonly events: readonly EventView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
}

/** Views of instances: their state, pages of them, and pages of their histories. Values are decoded JSON. */
import type {
  DivergedStep,
  EndRequest,
  EpochMs,
  ErrorRecord,
  ForkOrigin,
  ParentRef,
  StepRecord,
} from "../core/model/records.ts";
import type { FailedAttempt } from "../core/failed-attempts.ts";
import type { WaitsFor } from "../core/waits-for.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

/** The state of an instance. `unknown` is for stores that are newer than this code. */
export interface InstanceStatus<TOutput = unknown> {
  readonly status: InstanceStatusName | "unknown";
  /** The number of the run; rises on restart. */
  readonly runNumber: number;
  readonly error?: ErrorRecord;
  /** What the workflow returned, as parsed by its `output` schema. */
  readonly output?: TOutput;
  /**
   * Open steps in the history that the code did not call when it last ran, and open waits that it calls for another type of
   * event. The first 10, at most 4 KiB of JSON. Absent: there are none.
   */
  readonly diverged?: readonly DivergedStep[];
  /** When it starts, if that is later than now. Absent in the result of a create within Fragno. */
  readonly startsAt?: EpochMs;
  /**
   * How it was asked to end, if it has not ended yet: by `cancel`, by `terminate` with a rollback, by the end of its parent,
   * or by its deadline.
   */
  readonly endRequested?: EndRequest;
  /** The step of another run that started it and waits for its end. */
  readonly parent?: ParentRef;
  /** For a fork: the instance, and the step before which its steps were copied. */
  readonly forkedFrom?: ForkOrigin;
  /**
   * How often in a row a failed run has begun again because of `runRetries`. `startsAt` is when the next one begins; `error`
   * is that of the last one, until the current one first waits or ends. Absent: never.
   */
  readonly retryCount?: number;
  /** When the run is asked to end, if it has not ended before. */
  readonly deadlineAt?: EpochMs;
  /** Absent: none. */
  readonly tags?: readonly string[];
  readonly memo?: unknown;
  /** The size of an output in bytes that a list or a batch left out; read the instance to get it. */
  readonly omittedBytes?: number;
}

/**
 * Which results, payloads and outputs to show. `small`: those up to 16 KiB, and of larger ones only the size. `full`: all.
 *
 * A page ends before it is larger than 1 MB, but has at least one item. `cursor` continues from there.
 */
export type PayloadsShown = "small" | "full";

/** An instance and its state. */
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

/** A page of instances of one workflow. */
export interface ListInstancesOutput {
  readonly instances: readonly InstanceView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
}

export interface HistoryInput {
  /** @default the current run */
  readonly runNumber?: number;
  /** Steps and events per page, 1–1000; fewer if they are more than 1 MB. @default 100 */
  readonly pageSize?: number;
  /** @default "small" */
  readonly payloads?: PayloadsShown;
  readonly cursor?: string;
}

/**
 * A step of a run. `failedAttempts` has the attempts that failed or were lost; `attemptStartedAt` and `runner` are those of
 * the last attempt.
 */
export interface StepView extends Omit<
  StepRecord,
  "id" | "result" | "failedAttempts" | "settledOrder" | "version"
> {
  /** What it waits for now; null: nothing. */
  readonly waitsFor: WaitsFor | null;
  /** The last 20, oldest first. Attempts before this version are not included. */
  readonly failedAttempts: readonly FailedAttempt[];
  readonly result: unknown;
  /** The size of a result in bytes that was left out. */
  readonly omittedBytes?: number;
}

export interface EventView {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
  /** The size of a payload in bytes that was left out. */
  readonly omittedBytes?: number;
  readonly createdAt: EpochMs;
  readonly deliveredAt: EpochMs | null;
  readonly consumedByStepKey: string | null;
}

/** A page of the steps and events of a run. */
export interface HistoryOutput {
  readonly runNumber: number;
  readonly steps: readonly StepView[];
  readonly events: readonly EventView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
}

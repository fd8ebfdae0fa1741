/** What an engine can be asked about all that goes on. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { ActivityBucket, DueTasks } from "./overview.ts";

/** Which instances, and over how long. */
export interface ActivityInput {
  /** Names, at most 200. @default all that are registered */
  readonly workflows?: readonly string[];
  /** How long a bucket is: 1000 to 86 400 000. @default 120 000, two minutes */
  readonly bucketMs?: DurationMs;
  /** How many buckets, the present one included: 1–120. @default 30 */
  readonly buckets?: number;
}

/** How instances fared over time, and what waits for a runner. */
export interface ActivityOutput {
  readonly now: EpochMs;
  readonly bucketMs: DurationMs;
  /** Oldest first. */
  readonly buckets: readonly ActivityBucket[];
  /** By workflow; only those that have some. */
  readonly due: readonly DueTasks[];
  /** What older instances did is not in the buckets: as many newer ones were there as one look reads. Absent: all were looked at. */
  readonly lookedFrom?: EpochMs;
}

export interface ListLeasesInput {
  /** Names, at most 200. @default all that are registered */
  readonly workflows?: readonly string[];
  /** Leases that are shown: 1–1000. @default 100 */
  readonly limit?: number;
}

/** A run that a process holds. */
export interface LeaseView {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  /** What the process calls itself; null: not known. */
  readonly runner: string | null;
  /** When the lease ends unless it is renewed. */
  readonly until: EpochMs;
  /** It has ended, and nobody has taken the run since. */
  readonly isOverdue: boolean;
  /** Claims in a row that ended without a commit, before this one. */
  readonly lostCount: number;
}

/** A process, by the leases that it holds. */
export interface RunnerView {
  readonly runner: string | null;
  readonly leaseCount: number;
  readonly overdueCount: number;
  /** When the first of them ends, and the last. */
  readonly firstUntil: EpochMs;
  readonly lastUntil: EpochMs;
}

/** Who holds what. */
export interface ListLeasesOutput {
  readonly now: EpochMs;
  /** Those with the most leases first. */
  readonly runners: readonly RunnerView[];
  /** Those that end first first, so that overdue ones come before all others. */
  readonly leases: readonly LeaseView[];
  /** There are more leases than were counted or shown. */
  readonly isCapped: boolean;
}

export interface ListCallbacksInput {
  /** Names, at most 40. @default all that are registered */
  readonly workflows?: readonly string[];
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

/** A callback that a run waits for. Its token is told to nobody. */
export interface CallbackView {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  /** Of the instance. */
  readonly status: InstanceStatusName;
  readonly stepKey: string;
  readonly name: string;
  readonly createdAt: EpochMs;
  /** When it stops waiting; null: it does not. */
  readonly wakeAt: EpochMs | null;
}

/** A page of callbacks. */
export interface ListCallbacksOutput {
  readonly callbacks: readonly CallbackView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
  /** The look ended before the page was full: it may even be empty. Go on with `cursor`. */
  readonly isIncomplete: boolean;
}

/** What goes on, over workflows. */
export interface OverviewService {
  /**
   * How many instances were created, ended and failed over time, how long they waited for their first claim, and what is due now. One
   * trip, which looks at the newest 5000 instances of each workflow, and at 20 000 in all: `lookedFrom` says from when on it knows of all.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  measureActivity(input?: ActivityInput): Promise<ActivityOutput>;
  /** Which processes hold which runs now. One trip, which reads at most 1000 leases. @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION */
  listLeases(input?: ListLeasesInput): Promise<ListLeasesOutput>;
  /**
   * Callbacks that runs wait for, those of the oldest instances first. One trip, which looks at some 1000 instances: where few of them have
   * one, `isIncomplete` says so, and the next page goes on.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST, UNKNOWN_OPTION
   */
  listCallbacks(input?: ListCallbacksInput): Promise<ListCallbacksOutput>;
}

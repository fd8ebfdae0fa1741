/** Overviews that an engine gives: activity over time, leases, and open callbacks. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";
import type { ActivityBucket, DueTasks, OpenCallback } from "./overview.ts";

/** Which instances to measure, and over how long. */
export interface ActivityInput {
  /** @default all that are registered */
  readonly workflows?: readonly string[];
  /** The length of a bucket in milliseconds: 1000 to 86 400 000. @default 120 000, two minutes */
  readonly bucketMs?: DurationMs;
  /** How many buckets, including the current one: 1–120. @default 30 */
  readonly buckets?: number;
}

/** What instances did over time, and what waits for a runner. */
export interface ActivityOutput {
  readonly now: EpochMs;
  readonly bucketMs: DurationMs;
  /** Oldest first. */
  readonly buckets: readonly ActivityBucket[];
  /** By workflow, without those that have none. */
  readonly due: readonly DueTasks[];
  /**
   * The buckets are complete from this time on. There are more instances than are read at once, so earlier ones may be
   * missing. Absent: all buckets are complete.
   */
  readonly lookedFrom?: EpochMs;
}

export interface ListLeasesInput {
  /** @default all that are registered */
  readonly workflows?: readonly string[];
  /** How many leases to show: 1–1000. @default 100 */
  readonly limit?: number;
}

/** A run that a process holds. */
export interface LeaseView {
  readonly workflowName: string;
  readonly id: string;
  readonly runNumber: number;
  /** The name of the process; null: unknown. */
  readonly runner: string | null;
  /** When the lease ends unless it is renewed. */
  readonly until: EpochMs;
  /** The lease has ended, and nobody has taken over the run yet. */
  readonly isOverdue: boolean;
  /** How many claims in a row before this one ended without a commit. */
  readonly lostCount: number;
}

/** A process, by the leases that it holds. */
export interface RunnerView {
  readonly runner: string | null;
  readonly leaseCount: number;
  readonly overdueCount: number;
  /** When the first of its leases ends, and the last. */
  readonly firstUntil: EpochMs;
  readonly lastUntil: EpochMs;
}

/** Who holds what. */
export interface ListLeasesOutput {
  readonly now: EpochMs;
  /** Sorted by the number of leases, most first. */
  readonly runners: readonly RunnerView[];
  /** Sorted by their end, so that overdue ones come first. */
  readonly leases: readonly LeaseView[];
  /** There are more leases than were counted or shown. */
  readonly isCapped: boolean;
}

export interface ListCallbacksInput {
  /** @default all that are registered */
  readonly workflows?: readonly string[];
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

/** A callback that a run waits for. Its token is never shown. */
export interface CallbackView extends Omit<OpenCallback, "instanceId"> {
  readonly id: string;
}

/** A page of callbacks. */
export interface ListCallbacksOutput {
  readonly callbacks: readonly CallbackView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
  /** The search ended before the page was full, which may even be empty. Continue with `cursor`. */
  readonly isIncomplete: boolean;
}

/** Overviews over all workflows. */
export interface OverviewService {
  /**
   * Measures over time how many instances were created, ended and failed, how long they waited for their first claim, and
   * what is due now. One trip, which looks at the newest 1500 instances; `lookedFrom`
   * says from when on the answer is complete.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  measureActivity(input?: ActivityInput): Promise<ActivityOutput>;
  /**
   * Lists which processes hold which runs now. One trip, which reads at most 1000 leases.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  listLeases(input?: ListLeasesInput): Promise<ListLeasesOutput>;
  /**
   * Lists the callbacks that runs wait for, those of the oldest instances first. One trip, which looks at about 1000
   * instances. If few of them have one, `isIncomplete` is true, and the next page continues.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST, UNKNOWN_OPTION
   */
  listCallbacks(input?: ListCallbacksInput): Promise<ListCallbacksOutput>;
}

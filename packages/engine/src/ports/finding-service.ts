/** What an engine can be asked about instances of all its workflows. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { InstanceView, PayloadsShown } from "./instance-views.ts";

/** Which instances are meant. What is absent is not looked at. */
export interface InstancesInput {
  /** Names; with each status counted for itself, at most 200. @default all that are registered */
  readonly workflows?: readonly string[];
  /** Any of them. @default any status */
  readonly status?: readonly InstanceStatusName[];
  /** One of the instance's tags. */
  readonly tag?: string;
  /** What the id begins with. */
  readonly idPrefix?: string;
  /** `code` of the error that ended the run. */
  readonly errorCode?: string;
  /** Created then or later: a Date or epoch milliseconds, as are the others. */
  readonly createdFrom?: Date | EpochMs;
  /** Created earlier. */
  readonly createdBefore?: Date | EpochMs;
  /** Changed last then or later. */
  readonly updatedFrom?: Date | EpochMs;
  /** Changed last earlier. */
  readonly updatedBefore?: Date | EpochMs;
  /** Started by a run of that instance (`step.invoke`), and a child of it. */
  readonly parent?: InstanceRef;
  /**
   * Only those that should move and do not, of what `explain` calls `due`, `unregistered`, `leaseEnded` and `endRequested` for five minutes and more, and
   * `crashLoop` at once. @default false
   */
  readonly stuck?: boolean;
}

/** Which instances are looked for, and how many are shown. */
export interface FindInstancesInput extends InstancesInput {
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** Whether large outputs are shown. @default "small" */
  readonly payloads?: PayloadsShown;
  /** Of the page before. */
  readonly cursor?: string;
}

/** An instance, and the workflow that it is of. */
export interface FoundInstance extends InstanceView {
  readonly workflowName: string;
}

/** A page of what was found. */
export interface FindInstancesOutput {
  readonly instances: readonly FoundInstance[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
  /** The look ended before the page was full: it may even be empty. Go on with `cursor`. */
  readonly isIncomplete: boolean;
}

/** Which instances are counted. */
export interface CountInstancesInput extends InstancesInput {
  /** Counting of each workflow and status ends there, and earlier where many of them are counted. 1–10000. @default 1000 */
  readonly cap?: number;
}

/** How many instances of a workflow have a status. */
export interface InstanceCount {
  readonly workflowName: string;
  readonly status: InstanceStatusName;
  readonly count: number;
  /** There may be more: counting ended at the cap, or before all were looked at. */
  readonly isCapped: boolean;
}

/** Counts by workflow, and by status within it. */
export interface CountInstancesOutput {
  readonly counts: readonly InstanceCount[];
}

/** Lists over workflows. */
export interface FindingService {
  /**
   * Finds instances of all workflows, newest first. One trip, which looks at some 1000 instances: where few of them match,
   * `isIncomplete` says so, and the next page goes on.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST, UNKNOWN_OPTION
   */
  findInstances(input?: FindInstancesInput): Promise<FindInstancesOutput>;
  /** Counts instances by workflow and status. One trip, which looks at some 2000 instances where a filter is given. @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION */
  countInstances(input?: CountInstancesInput): Promise<CountInstancesOutput>;
}

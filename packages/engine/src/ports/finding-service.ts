/** What an engine can be asked about instances of all its workflows. */
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { InstanceView, PayloadsShown } from "./instance-views.ts";

/** Which instances are looked for, and how many are shown. What is absent is not looked at. */
export interface FindInstancesInput {
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
export interface CountInstancesInput {
  /** Names; with each status counted for itself, at most 200. @default all that are registered */
  readonly workflows?: readonly string[];
  /** @default every status */
  readonly status?: readonly InstanceStatusName[];
  /** Counting ends there. 1–10000. @default 1000 */
  readonly cap?: number;
}

/** How many instances of a workflow have a status. */
export interface InstanceCount {
  readonly workflowName: string;
  readonly status: InstanceStatusName;
  readonly count: number;
  /** Counting ended at the cap: there may be more. */
  readonly isCapped: boolean;
}

/** Counts by workflow, and by status within it. */
export interface CountInstancesOutput {
  readonly counts: readonly InstanceCount[];
}

/** Lists over workflows. */
export interface FindingService {
  /**
   * Finds instances of all workflows, newest first. One trip, which looks at some 4000 instances: where few of them match,
   * `isIncomplete` says so, and the next page goes on.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST, UNKNOWN_OPTION
   */
  findInstances(input?: FindInstancesInput): Promise<FindInstancesOutput>;
  /** Counts instances by workflow and status. One trip. @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION */
  countInstances(input?: CountInstancesInput): Promise<CountInstancesOutput>;
}

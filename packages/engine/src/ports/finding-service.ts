/** What an engine can be asked about instances of all its workflows. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { StatusCount } from "./find-instances.ts";
import type { InstanceView, PayloadsShown } from "./instance-views.ts";

/** Which instances to find. What you omit is not checked. */
export interface InstancesInput {
  /** Workflow names. @default all that are registered */
  readonly workflows?: readonly string[];
  /** Any of them. @default any status */
  readonly status?: readonly InstanceStatusName[];
  /** One of the instance's tags. */
  readonly tag?: string;
  /** The beginning of the id. */
  readonly idPrefix?: string;
  /** The `code` of the error that ended the run. */
  readonly errorCode?: string;
  /** Created at or after this time: a Date or epoch milliseconds, as for the others. */
  readonly createdFrom?: Date | EpochMs;
  /** Created before this time. */
  readonly createdBefore?: Date | EpochMs;
  /** Last changed at or after this time. */
  readonly updatedFrom?: Date | EpochMs;
  /** Last changed before this time. */
  readonly updatedBefore?: Date | EpochMs;
  /** Children of this instance, started with `step.invoke`. */
  readonly parent?: InstanceRef;
  /**
   * Only instances that should move but do not: what `explain` calls `due`, `unregistered`, `leaseEnded` and `endRequested`
   * for at least five minutes, and `crashLoop` at once. @default false
   */
  readonly stuck?: boolean;
}

/** Which instances to find, and how many to show. */
export interface FindInstancesInput extends InstancesInput {
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** Whether to show large outputs. @default "small" */
  readonly payloads?: PayloadsShown;
  /** The cursor of the page before. */
  readonly cursor?: string;
}

/** An instance with the name of its workflow. */
export interface FoundInstance extends InstanceView {
  readonly workflowName: string;
  readonly createdAt: EpochMs;
  /** When its current run was first claimed; null: not yet. */
  readonly startedAt: EpochMs | null;
  /** When its current run ended; null: it has not. */
  readonly completedAt: EpochMs | null;
}

/** A page of found instances. */
export interface FindInstancesOutput {
  readonly instances: readonly FoundInstance[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
  /** The search ended before the page was full, which may even be empty. Continue with `cursor`. */
  readonly isIncomplete: boolean;
}

/** Which instances to count. */
export interface CountInstancesInput extends InstancesInput {
  /** Where counting ends for each workflow and status, or earlier if there are many of them. 1–10000. @default 1000 */
  readonly cap?: number;
}

/** Counts by workflow, and by status within it. */
export interface CountInstancesOutput {
  readonly counts: readonly StatusCount[];
}

/** Lists over workflows. */
export interface FindingService {
  /**
   * Finds instances of all workflows, newest first: `await engine.findInstances({ status: ["errored"], pageSize: 50 })`. One trip, which
   * looks at about 1000 instances, and as many again for every 200 pairs of workflow and status. If few of them match, `isIncomplete`
   * is true, and the next page continues.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_CURSOR, INVALID_REQUEST, UNKNOWN_OPTION
   */
  findInstances(input?: FindInstancesInput): Promise<FindInstancesOutput>;
  /**
   * Counts instances by workflow and status: `await engine.countInstances({ status: ["errored", "waiting"] })`. One trip. With a filter
   * it looks at about 2000 instances, without one it counts up to 20 000, and as many again for every 200 pairs of workflow and
   * status. So with many instances, counting may end before `cap`.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  countInstances(input?: CountInstancesInput): Promise<CountInstancesOutput>;
}

/** Finds and counts instances of several workflows by filters. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs, EpochMs, InstanceRecord } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { Page, PagePosition, Shown } from "./pages.ts";

/** Conditions on an instance. null, or absent: anything matches. */
export interface InstanceFilter {
  readonly tag: string | null;
  /** The beginning of its id. */
  readonly idPrefix: string | null;
  /** `code` of the error that ended it. */
  readonly errorCode: string | null;
  /** Last changed at or after this time. */
  readonly updatedFrom: EpochMs | null;
  /** Last changed before this time. */
  readonly updatedBefore: EpochMs | null;
  /** Created at or after this time. */
  readonly createdFrom: EpochMs | null;
  /** Created before this time. */
  readonly createdBefore: EpochMs | null;
  /** Its parent; any of the parent's runs may have started it. */
  readonly parent: InstanceRef | null;
  /** See `STUCK_AFTER_MS`; false: anything. */
  readonly isStuck: boolean;
}

/** Which instances are asked for. */
export interface InstanceSelection extends Partial<InstanceFilter> {
  /** From 1, none of them twice. */
  readonly workflowNames: readonly string[];
  /** None twice; null: any. */
  readonly statuses: readonly InstanceStatusName[] | null;
}

export interface FindInstancesRequest
  extends InstanceFilter, Pick<InstanceSelection, "workflowNames" | "statuses"> {
  /** 1–100. */
  readonly pageSize: number;
  /** Continue after this position. Newest first by (createdAt, id), which never change. */
  readonly after: PagePosition | null;
  /** A larger output is left out. @default outputs of any size are given */
  readonly maxPayloadBytes?: number;
}

/** Workflows, by each of the statuses, of one statement at most. */
export const MAX_BRANCHES = 200;

/** Splits a request into some with as many workflows as one statement takes. */
export function toShares<TRequest extends Pick<InstanceSelection, "workflowNames" | "statuses">>(
  request: TRequest,
): readonly TRequest[] {
  const { workflowNames, statuses } = request;
  const size = Math.floor(MAX_BRANCHES / (statuses?.length ?? 1));
  return Array.from({ length: Math.ceil(workflowNames.length / size) }, (_, index) =>
    Object.assign({}, request, {
      workflowNames: workflowNames.slice(index * size, (index + 1) * size),
    }),
  );
}

/** Instances that one statement looks at, more or less, to find those that a filter lets through. */
export const MAX_SCANNED = 1000;

/** How many stuck instances are sorted or counted at once. If there are more, they are searched among all live instances. */
export const MAX_IN_ORDER = 1000;

/** About how many instances one count with a filter looks at. */
export const COUNTED_AT = 2000;

/** The most instances that one statement counts without a filter. With many workflows and statuses, it counts fewer of each. */
export const MOST_COUNTED = 20_000;

/** How many instances to count of each workflow and status. @param cap how many are asked for */
export const toCap = (
  { workflowNames, statuses }: Pick<CountInstancesRequest, "workflowNames" | "statuses">,
  cap: number,
): number =>
  Math.min(
    cap,
    Math.floor(MOST_COUNTED / Math.min(MAX_BRANCHES, workflowNames.length * statuses.length)),
  );

/**
 * An instance is stuck if it is neither paused nor terminal and nothing moves it: for this long its task has been due or its
 * lease has been over, and no process has taken it. It is also stuck if two or more processes in a row died while they held it.
 */
export const STUCK_AFTER_MS: DurationMs = 300_000;

/** The statuses that a stuck instance may have. */
export const LIVE_STATUSES: readonly InstanceStatusName[] = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
];

/** A page of found instances, without params. */
export interface FoundInstances extends Page<Shown<InstanceRecord>> {
  /** The look ended before the page was full: there may be more matches after `next`. */
  readonly isIncomplete: boolean;
}

export interface CountInstancesRequest extends Partial<InstanceFilter> {
  /** From 1, none of them twice. */
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
  /** Where counting ends; at least 1. */
  readonly cap: number;
}

/** Instances of a workflow that have a status. */
export interface StatusCount {
  readonly workflowName: string;
  readonly status: InstanceStatusName;
  /** Up to the cap. */
  readonly count: number;
  /** There may be more: counting ended at the cap, or before all were looked at. */
  readonly isCapped: boolean;
}

/** Finds and counts over several workflows. */
export interface FindingStore {
  /** One trip, whatever the filter, and a bounded look for each `MAX_BRANCHES` pairs of workflow and status. */
  findInstances(request: FindInstancesRequest): Promise<FoundInstances>;
  /** Returns one count for each workflow and status, in any order. One trip, with a bounded look for each `MAX_BRANCHES` pairs. */
  countInstances(request: CountInstancesRequest): Promise<readonly StatusCount[]>;
}

/** Instances of several workflows: found by what they have, and counted. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs, EpochMs, InstanceRecord } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { Page, PagePosition, Shown } from "./pages.ts";

/** What an instance has to have. null, or absent: anything. */
export interface InstanceFilter {
  readonly tag: string | null;
  /** What its id begins with. */
  readonly idPrefix: string | null;
  /** `code` of the error that ended it. */
  readonly errorCode: string | null;
  /** The first instant of its last change. */
  readonly updatedFrom: EpochMs | null;
  /** The instant before which its last change was. */
  readonly updatedBefore: EpochMs | null;
  /** The first instant of creation. */
  readonly createdFrom: EpochMs | null;
  /** The instant before which it was created. */
  readonly createdBefore: EpochMs | null;
  /** Whose child it is, of any of the parent's runs. */
  readonly parent: InstanceRef | null;
  /** See `STUCK_AFTER_MS`; false: anything. */
  readonly isStuck: boolean;
}

export interface FindInstancesRequest extends InstanceFilter {
  /** From 1, none of them twice. */
  readonly workflowNames: readonly string[];
  /** null: any. None of them twice. */
  readonly statuses: readonly InstanceStatusName[] | null;
  /** 1–100. */
  readonly pageSize: number;
  /** Go on after this position. Newest first by (createdAt, id), which never change. */
  readonly after: PagePosition | null;
  /** A larger output is left out. @default outputs of any size are given */
  readonly maxPayloadBytes?: number;
}

/** Workflows, by each of the statuses, of one statement at most. */
export const MAX_BRANCHES = 200;

/** Workflows, as many together as one statement takes. @param statusCount statuses that each is looked for in; from 1 */
export const toShares = (
  workflowNames: readonly string[],
  statusCount: number,
): readonly (readonly string[])[] => {
  const size = Math.floor(MAX_BRANCHES / statusCount);
  return Array.from({ length: Math.ceil(workflowNames.length / size) }, (_, index) =>
    workflowNames.slice(index * size, (index + 1) * size),
  );
};

/** Instances that one statement looks at, more or less, to find those that a filter lets through. */
export const LOOKED_AT = 1000;

/** Instances that are stuck which are put in order, or counted, at once. Where there are more, they are looked for among all that are alive. */
export const MAX_IN_ORDER = 1000;

/** Instances that one count with a filter looks at, more or less. */
export const COUNTED_AT = 2000;

/** Instances that one count without a filter counts, at most: with many workflows and statuses, fewer of each. */
export const MOST_COUNTED = 20_000;

/**
 * An instance is stuck that is neither paused nor at its end, and that nothing moves: its task has been due for so long, or its lease has been over for so
 * long, and nobody has taken it; or it has ended two processes and more.
 */
export const STUCK_AFTER_MS: DurationMs = 300_000;

/** Of which an instance that is stuck has one. */
export const LIVE_STATUSES: readonly InstanceStatusName[] = [
  "queued",
  "running",
  "waiting",
  "waitingForPause",
];

/** A page of those that were found; without params. */
export interface FoundInstances extends Page<Shown<InstanceRecord>> {
  /** The look ended before the page was full: what matches may come behind `next`. */
  readonly isIncomplete: boolean;
}

export interface CountInstancesRequest extends Partial<InstanceFilter> {
  /** With the statuses at most `MAX_BRANCHES` pairs; none of them twice. */
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
  /** Counting ends there. From 1. */
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

/** Instances over workflows. */
export interface FindingStore {
  /** One trip, whatever the filter, and a bounded look for each `MAX_BRANCHES` pairs of workflow and status. */
  findInstances(request: FindInstancesRequest): Promise<FoundInstances>;
  /** One for each workflow and status, in any order. One trip. */
  countInstances(request: CountInstancesRequest): Promise<readonly StatusCount[]>;
}

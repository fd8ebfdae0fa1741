/** An overview of a store: what instances do over time, which leases are held, and which callbacks are open. */
import type { DurationMs, EpochMs, RunRef } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

/** `walked`: newest instances, over all workflows, that an index alone puts in order. `all`: how many of them are read. */
export const ACTIVITY_SCANNED = { walked: 4000, all: 1500 } as const;

/** How many instances one look reads waits of, and how many steps of each, in the order of their keys. */
export const WAITS_SCANNED = { instances: 60, steps: 10 } as const;

/** How many due tasks one look counts, over all workflows. */
export const DUE_COUNTED = 5000;

export interface ActivityRequest {
  /** At least one, and none twice. */
  readonly workflowNames: readonly string[];
  /** Buckets begin at whole multiples of this since 1970. At least 1000. */
  readonly bucketMs: DurationMs;
  /** The last bucket contains the current instant. At least 1. */
  readonly bucketCount: number;
  /** How many of the newest instances of each workflow to put in order. At least 1. */
  readonly walked: number;
  /** How many of those, the newest of all workflows, to read. At least 1. */
  readonly looked: number;
  /** How many of those, evenly spread, to read waits of. At least 1. */
  readonly sampled: number;
  /** How many due tasks of each workflow to count at most. */
  readonly counted: number;
}

/** Durations in a few figures: half of them are at most the median, 95 of 100 are at most `p95`. */
export interface Spread {
  readonly median: DurationMs;
  readonly p95: DurationMs;
  readonly longest: DurationMs;
}

/** What happened in a stretch of time. */
export interface ActivityBucket {
  /** Its first instant. */
  readonly at: EpochMs;
  readonly created: number;
  readonly complete: number;
  readonly errored: number;
  readonly terminated: number;
  /** Instances that were claimed for the first time. */
  readonly started: number;
  /** How long those had waited since they were created; null: none was claimed. */
  readonly waitMs: Spread | null;
  /** Sleeps, and waits for one event, that ended, in a sample of at most 60 instances with 10 steps each. */
  readonly waitsEnded: number;
  /** From the time at which the sleep was to end or the event arrived until the run continued; null: none ended. */
  readonly latenessMs: Spread | null;
}

/** Tasks of a workflow that are due now. */
export interface DueTasks {
  readonly workflowName: string;
  readonly count: number;
  /** There may be more: counting ended there. */
  readonly isCapped: boolean;
  /** When the first of them became due. */
  readonly oldestAt: EpochMs;
}

export interface Activity {
  readonly now: EpochMs;
  /** Oldest first, none left out. */
  readonly buckets: readonly ActivityBucket[];
  /** Only workflows that have some. */
  readonly due: readonly DueTasks[];
  /** Not all instances that were created before this time were looked at; null: all were. */
  readonly lookedFrom: EpochMs | null;
}

export interface LeasesRequest {
  readonly workflowNames: readonly string[];
  /** Of each workflow. */
  readonly limit: number;
}

/** A run that a process holds, or held when it died. */
export interface HeldLease extends RunRef {
  /** The name of the process; null: an earlier version of the engine took the lease. */
  readonly runner: string | null;
  /** When the lease ends, or has ended. */
  readonly until: EpochMs;
  /** Claims in a row without a commit, this one included. */
  readonly attempts: number;
}

export interface HeldLeases {
  readonly now: EpochMs;
  /** Ordered by their end, the earliest first. */
  readonly leases: readonly HeldLease[];
  /** A workflow has as many leases as were asked for, and may have more that end later. */
  readonly isCapped: boolean;
}

/** About how many instances one look reads open callbacks of. */
export const CALLBACKS_SCANNED = 1000;

/** How many open waits one look reads of these instances, whatever they wait for. It ends at the instance with which it has read them. */
export const CALLBACK_WAITS = {
  /** Of each instance as many are counted before any is read. */
  counted: 20,
  /** An instance with that many or more, up to `maxStepsPerRun`, counts as so many: ten of them at most are read. */
  many: 100,
  /** Of all. */
  most: 1000,
} as const;

/** A position in the list of callbacks: ordered by instance, oldest first by (createdAt, row id), then by the step's row id. */
export interface CallbackPosition {
  readonly at: EpochMs;
  readonly id: string;
  /** Row id of a step: continue after this callback of the instance; "": after all of its callbacks. */
  readonly stepId: string;
}

export interface CallbacksRequest {
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
  /** 1–100. */
  readonly pageSize: number;
  /** How many instances of each workflow and status to look at; at least 1. */
  readonly looked: number;
  readonly after: CallbackPosition | null;
}

/** A callback that a run waits for, and that nobody has used. */
export interface OpenCallback extends RunRef {
  readonly status: InstanceStatusName;
  readonly stepKey: string;
  readonly name: string;
  readonly createdAt: EpochMs;
  /** When it stops waiting; null: never. */
  readonly wakeAt: EpochMs | null;
}

export interface OpenCallbacks {
  readonly items: readonly OpenCallback[];
  /** null: there is no further page. */
  readonly next: CallbackPosition | null;
  /** The look ended before the page was full: there may be more after `next`. */
  readonly isIncomplete: boolean;
}

/** Overviews over all workflows. */
export interface OverviewStore {
  /** One trip, and a bounded look, however many instances there are. */
  measureActivity(request: ActivityRequest): Promise<Activity>;
  /** One trip. */
  listLeases(request: LeasesRequest): Promise<HeldLeases>;
  /** One trip, and a bounded look. */
  listCallbacks(request: CallbacksRequest): Promise<OpenCallbacks>;
}

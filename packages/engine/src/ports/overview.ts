/** What a store tells of all that goes on: how instances fare over time, which leases are held, and which callbacks are open. */
import type { DurationMs, EpochMs, RunRef } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

/** Of the newest instances, `walked` over all workflows are put in order by an index alone; the first of them are read. */
export const ACTIVITY_LOOKED_AT = { walked: 4000, all: 1500 } as const;

/** Instances whose waits one look reads, and how many steps of each, the first by their keys. */
export const WAITS_LOOKED_AT = { instances: 60, steps: 10 } as const;

/** Due tasks that one look counts, over all workflows. */
export const DUE_COUNTED = 5000;

export interface ActivityRequest {
  /** From 1, none of them twice. */
  readonly workflowNames: readonly string[];
  /** Buckets begin at whole multiples of it since 1970. From 1000. */
  readonly bucketMs: DurationMs;
  /** The last one has the present instant. From 1. */
  readonly bucketCount: number;
  /** Newest instances of each workflow among which the newest of all are found. From 1. */
  readonly walked: number;
  /** Newest of all of those, which are looked at. From 1. */
  readonly looked: number;
  /** Of all those, evenly: so many whose waits are looked at. From 1. */
  readonly sampled: number;
  /** Due tasks of each workflow that are counted. */
  readonly counted: number;
}

/** Durations in a few figures: half are no longer than the median, 95 of 100 no longer than `p95`. */
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
  /** How long those had waited since they were created; null: none was. */
  readonly waitMs: Spread | null;
  /** Sleeps, and waits for one event, that ended. Of a sample of at most 60 instances, and 10 steps of each. */
  readonly waitsEnded: number;
  /** From the instant that a sleep was to end, or the arrival of the event, until the run went on; null: none ended. */
  readonly latenessMs: Spread | null;
}

/** What waits for a runner now. */
export interface DueTasks {
  readonly workflowName: string;
  readonly count: number;
  /** There may be more: counting ended there. */
  readonly isCapped: boolean;
  /** Since when the first of them has been due. */
  readonly oldestAt: EpochMs;
}

export interface Activity {
  readonly now: EpochMs;
  /** Oldest first, none left out. */
  readonly buckets: readonly ActivityBucket[];
  /** Only workflows that have some. */
  readonly due: readonly DueTasks[];
  /** Instances that were created before were not all looked at; null: every one was. */
  readonly lookedFrom: EpochMs | null;
}

export interface LeasesRequest {
  readonly workflowNames: readonly string[];
  /** Of each workflow. */
  readonly limit: number;
}

/** A run that a process holds, or held at its end. */
export interface HeldLease extends RunRef {
  /** What the process calls itself; null: an earlier version took the lease. */
  readonly runner: string | null;
  /** When it ends, or has ended. */
  readonly until: EpochMs;
  /** Claims in a row without a commit, this one included. */
  readonly attempts: number;
}

export interface HeldLeases {
  readonly now: EpochMs;
  /** Those that end first first. */
  readonly leases: readonly HeldLease[];
  /** A workflow has as many as were asked for, and may have more, which end later. */
  readonly isCapped: boolean;
}

/** Instances of which open callbacks are looked for, in one look: more or less. */
export const CALLBACKS_LOOKED_AT = 1000;

/** In the order of instances, oldest first by (createdAt, row id), and of the row ids of steps within one. */
export interface CallbackPosition {
  readonly at: EpochMs;
  readonly id: string;
  /** Row id of the step: behind this one of its callbacks; "": behind all of them. */
  readonly stepId: string;
}

export interface CallbacksRequest {
  readonly workflowNames: readonly string[];
  readonly statuses: readonly InstanceStatusName[];
  /** 1–100. */
  readonly pageSize: number;
  /** Instances of each workflow and status that are looked at, from 1. */
  readonly looked: number;
  readonly after: CallbackPosition | null;
}

/** A callback that a run waits for, and that nobody has used. */
export interface OpenCallback extends RunRef {
  readonly status: InstanceStatusName;
  readonly stepKey: string;
  readonly name: string;
  readonly createdAt: EpochMs;
  /** When it stops waiting; null: it does not. */
  readonly wakeAt: EpochMs | null;
}

export interface OpenCallbacks {
  readonly items: readonly OpenCallback[];
  /** null: there is no further page. */
  readonly next: CallbackPosition | null;
  /** The look ended before the page was full: more may come behind `next`. */
  readonly isIncomplete: boolean;
}

/** What goes on, over workflows. */
export interface OverviewStore {
  /** One trip, and a bounded look, however many instances there are. */
  measureActivity(request: ActivityRequest): Promise<Activity>;
  /** One trip. */
  listLeases(request: LeasesRequest): Promise<HeldLeases>;
  /** One trip, and a bounded look. */
  listCallbacks(request: CallbacksRequest): Promise<OpenCallbacks>;
}

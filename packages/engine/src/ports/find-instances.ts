/** Instances of several workflows: found by what they have, and counted. */
import type { EpochMs, InstanceRecord } from "../core/model/records.ts";
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
}

export interface FindInstancesRequest extends InstanceFilter {
  /** From 1, none of them twice; with statuses at most `MAX_BRANCHES` pairs. */
  readonly workflowNames: readonly string[];
  /** null: any. None of them twice. */
  readonly statuses: readonly InstanceStatusName[] | null;
  /** The first instant of creation. */
  readonly createdFrom: EpochMs | null;
  /** The instant before which it was created. */
  readonly createdBefore: EpochMs | null;
  /** 1–100. */
  readonly pageSize: number;
  /** Go on after this position. Newest first by (createdAt, id), which never change. */
  readonly after: PagePosition | null;
  /** A larger output is left out. @default outputs of any size are given */
  readonly maxPayloadBytes?: number;
}

/** Workflows, by each of the statuses, of one request at most. */
export const MAX_BRANCHES = 200;

/** Instances that one request looks at, more or less, to find those that a filter lets through. */
export const LOOKED_AT = 4000;

/** A page of those that were found; without params. */
export interface FoundInstances extends Page<Shown<InstanceRecord>> {
  /** The look ended before the page was full: what matches may come behind `next`. */
  readonly isIncomplete: boolean;
}

export interface CountInstancesRequest {
  /** As of `FindInstancesRequest`. */
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
}

/** Instances over workflows. */
export interface FindingStore {
  /** One trip, and a bounded look, whatever the filter. */
  findInstances(request: FindInstancesRequest): Promise<FoundInstances>;
  /** One for each workflow and status, in any order. One trip. */
  countInstances(request: CountInstancesRequest): Promise<readonly StatusCount[]>;
}

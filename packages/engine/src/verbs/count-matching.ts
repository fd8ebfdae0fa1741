/** @module Counting all that a filter lets through. Loaded with the first bulk job. */
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import {
  type FindInstancesRequest,
  MOST_COUNTED,
  type StatusCount,
} from "../ports/find-instances.ts";
import type { Store } from "../ports/store.ts";

/** Which instances: a request without its page. */
export type InstancesRequest = Omit<FindInstancesRequest, "pageSize" | "after" | "maxPayloadBytes">;

/** Instances of one workflow and status, at most. */
const CAP = 10_000;

export interface Matching {
  readonly count: number;
  readonly isCapped: boolean;
  /** By workflow and status. */
  readonly counts: readonly StatusCount[];
}

/** One trip. */
export async function countMatching(
  store: Pick<Store, "countInstances">,
  request: InstancesRequest,
): Promise<Matching> {
  const { workflowNames } = request;
  const statuses = request.statuses ?? INSTANCE_STATUSES;
  const cap = Math.min(CAP, Math.floor(MOST_COUNTED / (workflowNames.length * statuses.length)));
  const counts = await store.countInstances({ ...request, statuses, cap });
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    isCapped: counts.some(({ isCapped }) => isCapped),
    counts: counts.filter(({ count }) => count > 0),
  };
}

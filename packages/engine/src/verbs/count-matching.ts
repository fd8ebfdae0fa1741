/** @module Counts everything that matches a filter. Loaded with the first bulk job. */
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import { type FindInstancesRequest, type StatusCount, toCap } from "../ports/find-instances.ts";
import type { Store } from "../ports/store.ts";

/** A request for instances, without its page. */
export type InstancesRequest = Omit<FindInstancesRequest, "pageSize" | "after" | "maxPayloadBytes">;

/** The most instances to count for one workflow and status. */
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
  const asked = { ...request, statuses: request.statuses ?? INSTANCE_STATUSES };
  const counts = await store.countInstances({ ...asked, cap: toCap(asked, CAP) });
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    isCapped: counts.some(({ isCapped }) => isCapped),
    counts: counts.filter(({ count }) => count > 0),
  };
}

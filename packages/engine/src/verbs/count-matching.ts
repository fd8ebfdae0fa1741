/** @module Counts everything that matches a filter. Loaded with the first bulk job. */
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import {
  type FindInstancesRequest,
  MOST_COUNTED,
  type StatusCount,
  toShares,
} from "../ports/find-instances.ts";
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

/** A trip for each of `toShares`, one after another. */
export async function countMatching(
  store: Pick<Store, "countInstances">,
  request: InstancesRequest,
): Promise<Matching> {
  const statuses = request.statuses ?? INSTANCE_STATUSES;
  const counts: StatusCount[] = [];
  for (const workflowNames of toShares(request.workflowNames, statuses.length)) {
    const pairs = workflowNames.length * statuses.length;
    const cap = Math.min(CAP, Math.floor(MOST_COUNTED / pairs));
    counts.push(...(await store.countInstances({ ...request, workflowNames, statuses, cap })));
  }
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    isCapped: counts.some(({ isCapped }) => isCapped),
    counts: counts.filter(({ count }) => count > 0),
  };
}

/** Instances over workflows: all of them are looked at. */
import type { InstanceRecord } from "../../core/model/records.ts";
import type {
  CountInstancesRequest,
  FindInstancesRequest,
  FoundInstances,
  StatusCount,
} from "../../ports/find-instances.ts";
import { pageOfInstances } from "./pages.ts";
import type { MemoryState } from "./state.ts";

export function findInstances(state: MemoryState, request: FindInstancesRequest): FoundInstances {
  const rows = [...state.instances.values()].filter((instance) => isAsked(instance, request));
  return { ...pageOfInstances(rows, request), isIncomplete: false };
}

function isAsked(instance: InstanceRecord, request: FindInstancesRequest): boolean {
  const { tag, idPrefix, errorCode } = request;
  const { workflowName, status, createdAt, updatedAt, tags, instanceId, error } = instance;
  return (
    request.workflowNames.includes(workflowName) &&
    (request.statuses === null || request.statuses.includes(status)) &&
    isWithin(createdAt, request.createdFrom, request.createdBefore) &&
    isWithin(updatedAt, request.updatedFrom, request.updatedBefore) &&
    (tag === null || tags.includes(tag)) &&
    (idPrefix === null || instanceId.startsWith(idPrefix)) &&
    (errorCode === null || error?.code === errorCode)
  );
}

const isWithin = (at: number, from: number | null, before: number | null): boolean =>
  (from === null || at >= from) && (before === null || at < before);

export function countInstances(
  state: MemoryState,
  { workflowNames, statuses, cap }: CountInstancesRequest,
): readonly StatusCount[] {
  const instances = [...state.instances.values()];
  return workflowNames.flatMap((workflowName) =>
    statuses.map((status) => {
      const has = instances.filter(
        (one) => one.workflowName === workflowName && one.status === status,
      );
      return { workflowName, status, count: Math.min(cap, has.length) };
    }),
  );
}

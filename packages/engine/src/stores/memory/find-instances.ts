/** Finds instances over workflows by looking at all of them. */
import type { InstanceRecord } from "../../core/model/records.ts";
import { SUSPECT_ATTEMPTS } from "../../core/suspects.ts";
import {
  type CountInstancesRequest,
  type FindInstancesRequest,
  type FoundInstances,
  type InstanceSelection,
  LIVE_STATUSES,
  type StatusCount,
  STUCK_AFTER_MS,
} from "../../ports/find-instances.ts";
import { pageOfInstances } from "./pages.ts";
import { type MemoryState, type MemoryTask, runKey } from "./state.ts";

export function findInstances(state: MemoryState, request: FindInstancesRequest): FoundInstances {
  const stuck = request.isStuck ? stuckRuns(state) : NOBODY;
  const rows = [...state.instances.values()].filter((instance) =>
    isSelected(instance, request, stuck),
  );
  return { ...pageOfInstances(rows, request), isIncomplete: false };
}

function isSelected(
  instance: InstanceRecord,
  request: InstanceSelection,
  stuck: ReadonlySet<string>,
): boolean {
  const { tag = null, idPrefix = null, errorCode = null, parent: of = null } = request;
  const { workflowName, status, createdAt, updatedAt, tags, instanceId, error, parent } = instance;
  return (
    request.workflowNames.includes(workflowName) &&
    (request.statuses === null || request.statuses.includes(status)) &&
    isWithin(createdAt, request.createdFrom, request.createdBefore) &&
    isWithin(updatedAt, request.updatedFrom, request.updatedBefore) &&
    (tag === null || tags.includes(tag)) &&
    (idPrefix === null || instanceId.startsWith(idPrefix)) &&
    (errorCode === null || error?.code === errorCode) &&
    (of === null ||
      (parent?.workflowName === of.workflowName && parent.instanceId === of.instanceId)) &&
    (request.isStuck !== true || (LIVE_STATUSES.includes(status) && stuck.has(runKey(instance))))
  );
}

const NOBODY: ReadonlySet<string> = new Set();

/** The runs whose tasks show that nothing moves them. */
function stuckRuns({ tasks, now }: MemoryState): ReadonlySet<string> {
  const since = now() - STUCK_AFTER_MS;
  const isAmiss = ({ status, runAt, lockedUntil, attempts }: MemoryTask): boolean =>
    status === "pending"
      ? runAt <= since
      : (lockedUntil ?? 0) <= since || attempts > SUSPECT_ATTEMPTS;
  return new Set([...tasks.values()].filter(isAmiss).map(({ run }) => runKey(run)));
}

const isWithin = (at: number, from: number | null = null, before: number | null = null): boolean =>
  (from === null || at >= from) && (before === null || at < before);

export function countInstances(
  state: MemoryState,
  { workflowNames, statuses, cap, ...filter }: CountInstancesRequest,
): readonly StatusCount[] {
  const instances = [...state.instances.values()];
  const stuck = filter.isStuck === true ? stuckRuns(state) : NOBODY;
  return workflowNames.flatMap((workflowName) =>
    statuses.map((status) => {
      const has = instances.filter((one) =>
        isSelected(one, { ...filter, workflowNames: [workflowName], statuses: [status] }, stuck),
      );
      const count = Math.min(cap, has.length);
      return { workflowName, status, count, isCapped: count === cap };
    }),
  );
}

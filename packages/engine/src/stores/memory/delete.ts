/** Families: an instance, its children, and their children. */
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import { isTerminal } from "../../core/model/status.ts";
import type {
  ChildrenPage,
  ListChildrenRequest,
  LiveBelow,
  LiveInstance,
} from "../../ports/delete.ts";
import { RETAIN_CHUNK } from "../../ports/retain.ts";
import { type MemoryInstance, type MemoryState, runKey } from "./state.ts";

export function findLive(state: MemoryState, refs: readonly InstanceRef[]): LiveBelow {
  const found = refs.map((ref) => state.instances.get(instanceKey(ref)));
  const roots = found.filter((one) => one !== undefined);
  const members = roots.flatMap((root) => familyOf(state, root));
  const live =
    [...roots, ...members].find(isLive) ??
    roots.map((root) => liveParentOf(state, root)).find(Boolean);
  return {
    live: live === undefined ? null : toLive(live),
    isTooLarge: members.length > RETAIN_CHUNK.members,
  };
}

const toLive = ({ workflowName, instanceId, status }: MemoryInstance): LiveInstance => ({
  workflowName,
  instanceId,
  status,
});

export const isLive = ({ status }: MemoryInstance): boolean => !isTerminal(status);

export function listChildren(
  state: MemoryState,
  { parent, after }: ListChildrenRequest,
): ChildrenPage {
  const isBehind = ({ createdAt, rowId }: MemoryInstance): boolean =>
    after === null || createdAt < after.at || (createdAt === after.at && rowId < after.id);
  const page = state.instances
    .childrenOf(parent)
    .filter(isBehind)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.rowId < b.rowId ? 1 : -1))
    .slice(0, RETAIN_CHUNK.members);
  const last = page.length < RETAIN_CHUNK.members ? undefined : page.at(-1);
  return {
    children: page.map(({ workflowName, instanceId }) => ({ workflowName, instanceId })),
    next: last === undefined ? null : { at: last.createdAt, id: last.rowId },
  };
}

/** The instance itself comes first. */
export function familyOf(state: MemoryState, itself: MemoryInstance): readonly MemoryInstance[] {
  const family = new Set([itself]);
  for (const member of family)
    for (const child of state.instances.childrenOf(member)) family.add(child);
  return [...family];
}

export function liveParentOf(
  state: MemoryState,
  { parent }: MemoryInstance,
): MemoryInstance | undefined {
  const run = parent === null ? undefined : state.instances.get(instanceKey(parent));
  return run !== undefined && run.runNumber === parent?.runNumber && isLive(run) ? run : undefined;
}

/** Removes the instance, but not the rest of its family. */
export function forget(state: MemoryState, instance: MemoryInstance): void {
  for (let runNumber = 1; runNumber <= instance.runNumber; runNumber += 1) {
    const key = runKey({ ...instance, runNumber });
    for (const { id } of state.steps.get(key)?.values() ?? [])
      for (const { waits } of state.topics.values()) waits.delete(id);
    state.steps.delete(key);
    state.events.delete(key);
  }
  state.progress.delete(instanceKey(instance));
  state.instances.delete(instanceKey(instance));
}

/** Deletes an instance and its family: its children, and theirs. */
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { DeleteResult } from "../../ports/delete.ts";
import { type MemoryInstance, type MemoryState, runKey } from "./state.ts";

export function deleteInstance(state: MemoryState, ref: InstanceRef): DeleteResult {
  const itself = state.instances.get(instanceKey(ref));
  if (itself === undefined) return { kind: "deleted", count: 0 };
  const family = familyOf(state, itself);
  const live = family.find(isLive) ?? liveParentOf(state, itself);
  if (live !== undefined) {
    const { workflowName, instanceId, status } = live;
    return { kind: "notEnded", live: { workflowName, instanceId, status } };
  }
  for (const member of family) forget(state, member);
  return { kind: "deleted", count: family.length };
}

const isLive = ({ status }: MemoryInstance): boolean => !isTerminal(status);

/** Itself first. */
export function familyOf(state: MemoryState, itself: MemoryInstance): readonly MemoryInstance[] {
  const family = new Set([itself]);
  for (const member of family) {
    for (const child of state.instances.values()) {
      const { parent } = child;
      if (parent !== null && instanceKey(parent) === instanceKey(member)) family.add(child);
    }
  }
  return [...family];
}

export function liveParentOf(
  state: MemoryState,
  { parent }: MemoryInstance,
): MemoryInstance | undefined {
  const run = parent === null ? undefined : state.instances.get(instanceKey(parent));
  return run !== undefined && run.runNumber === parent?.runNumber && isLive(run) ? run : undefined;
}

/** Removes it, and nothing else of its family. */
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

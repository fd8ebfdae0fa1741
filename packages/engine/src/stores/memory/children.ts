/** Children in memory: created by their parent's commit, asked to end when the parent leaves them, and reporting their end to it. */
import { toChildEvent, toFailedPayload } from "../../core/child.ts";
import { leaveChild } from "../../core/decide/leave-child.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { ChildCreated, ChildEvent } from "../../core/model/change.ts";
import type { ParentRef, RunRef } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import { createInstances } from "./create.ts";
import { wakeForEvent } from "./events.ts";
import {
  type MemoryInstance,
  type MemoryState,
  type MemoryTask,
  NEVER_CLAIMED,
  pendingTask,
  runKey,
  taskOf,
  toRunRef,
} from "./state.ts";

/** Creates a child. If its id is taken, the step is told. @returns whether it was created now, and not by an earlier try */
export function createChild(
  state: MemoryState,
  run: RunRef,
  { stepKey, onParentEnd, refusal, ...child }: ChildCreated,
): boolean {
  const parent = { ...run, stepKey, onParentEnd };
  const isThere = state.instances.has(instanceKey(child));
  const [result] = createInstances(state, [{ ...child, parent, start: null }]);
  if (result?.kind === "created") return !isThere;
  tellParent(state, { ...child, parent }, refusal);
  return false;
}

/** Stores the event of a child's end, once per step and child, and wakes the run that waits for it. @returns whether it did */
export function tellParent(
  state: MemoryState,
  { instanceId, parent }: { readonly instanceId: string; readonly parent: ParentRef },
  { rowId, payload }: ChildEvent,
): boolean {
  const run = state.instances.get(instanceKey(parent));
  const key = runKey(parent);
  const type = toChildEvent(parent.stepKey, instanceId);
  const events = state.events.get(key) ?? [];
  const isOver = run === undefined || run.runNumber !== parent.runNumber || isTerminal(run.status);
  if (isOver || events.some(({ eventId }) => eventId === type)) return false;
  state.sequence += 1;
  const open = { createdAt: state.now(), deliveredAt: null, consumedByStepKey: null, reply: null };
  const event = { id: rowId, sequence: state.sequence, eventId: type, type, payload, ...open };
  state.events.set(key, events);
  events.push(event);
  return wakeForEvent(state, run, type) !== null;
}

/** Reports the end of an instance that was terminated from outside to its parent. */
export function notifyTerminated(
  state: MemoryState,
  instance: MemoryInstance,
  rowId: string,
): boolean {
  const { parent } = instance;
  const event = { rowId, payload: toFailedPayload("terminated") };
  return parent !== null && tellParent(state, { ...instance, parent }, event);
}

/** Asks the children that a run no longer waits for to end. @param isLeft whether a step key belongs to such a step @returns whether a child is due */
export const releaseChildren = (
  state: MemoryState,
  run: RunRef,
  isLeft: (stepKey: string) => boolean,
): boolean =>
  leaveAll(
    state,
    state.instances
      .childrenOf(run)
      .filter(({ parent }) => parent?.runNumber === run.runNumber && isLeft(parent.stepKey)),
  );

/** The same for one step. */
export const releaseChildrenOfStep = (state: MemoryState, run: RunRef, stepKey: string): boolean =>
  leaveAll(state, state.instances.childrenOfStep({ ...run, stepKey }));

function leaveAll(state: MemoryState, children: readonly MemoryInstance[]): boolean {
  let isAnyDue = false;
  for (const child of children) isAnyDue = leave(state, child) || isAnyDue;
  return isAnyDue;
}

function leave(state: MemoryState, child: MemoryInstance): boolean {
  const left = leaveChild(child);
  if (left === null) return false;
  const { isDue, ...after } = left;
  const now = state.now();
  state.instances.set(instanceKey(child), { ...child, ...after, updatedAt: now });
  if (!isDue) return false;
  const task = pendingTask(taskOf(state, child) ?? newTask(child), "resume", now);
  state.tasks.set(task.id, task);
  return true;
}

/** The task of a child that was paused. It may have the instance's row id, because no task has that and the run has none. */
const newTask = (child: MemoryInstance): MemoryTask => ({
  id: child.rowId,
  run: toRunRef(child),
  kind: "resume",
  runAt: 0,
  ...NEVER_CLAIMED,
});

/** Children in memory: created by their parent's commit, asked to end when it leaves them, and telling it of their end. */
import { toChildEvent, toFailedPayload } from "../../core/child.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { ChildCreated, ChildEvent } from "../../core/model/change.ts";
import type { EndRequest, ParentRef, RunRef } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import { createInstances } from "./create.ts";
import { wakeForEvent } from "./events.ts";
import {
  type MemoryInstance,
  type MemoryState,
  pendingTask,
  runKey,
  taskOf,
  toRunRef,
} from "./state.ts";

/** Creates a child; where its id is taken, the step is told. */
export function createChild(
  state: MemoryState,
  run: RunRef,
  { stepKey, onParentEnd, refusal, ...child }: ChildCreated,
): void {
  const parent = { ...run, stepKey, onParentEnd };
  const [result] = createInstances(state, [{ ...child, parent, start: null, claim: null }]);
  if (result?.kind === "exists") tellParent(state, { ...child, parent }, refusal);
}

/** Stores the event of a child's end, once for a step and child, and wakes the run that waits for it. */
export function tellParent(
  state: MemoryState,
  { instanceId, parent }: { readonly instanceId: string; readonly parent: ParentRef },
  { rowId, payload }: ChildEvent,
): void {
  const run = state.instances.get(instanceKey(parent));
  const key = runKey(parent);
  const type = toChildEvent(parent.stepKey, instanceId);
  const events = state.events.get(key) ?? [];
  const isOver = run === undefined || run.runNumber !== parent.runNumber || isTerminal(run.status);
  if (isOver || events.some(({ eventId }) => eventId === type)) return;
  state.sequence += 1;
  const open = { createdAt: state.now(), deliveredAt: null, consumedByStepKey: null };
  const event = { id: rowId, sequence: state.sequence, eventId: type, type, payload, ...open };
  state.events.set(key, [...events, event]);
  wakeForEvent(state, run, type);
}

/** Tells the parent of an instance that was terminated from outside. */
export function tellTerminated(state: MemoryState, instance: MemoryInstance, rowId: string): void {
  const { parent } = instance;
  if (parent !== null)
    tellParent(state, { ...instance, parent }, { rowId, payload: toFailedPayload("terminated") });
}

/** Asks the children of a run to end that it does not wait for any more. @param stepKey of one step; null: of all */
export function releaseChildren(state: MemoryState, run: RunRef, stepKey: string | null): void {
  for (const child of state.instances.values()) {
    const { parent, status } = child;
    const isOfRun = parent !== null && runKey(parent) === runKey(run);
    if (!isOfRun || isTerminal(status) || parent.onParentEnd === "abandon") continue;
    if (stepKey === null || parent.stepKey === stepKey) askToEnd(state, child, parent.onParentEnd);
  }
}

/** As a command that asks for it: one that runs hears of it, any other is due. */
function askToEnd(state: MemoryState, child: MemoryInstance, asked: EndRequest): void {
  const now = state.now();
  const before = child.endRequested;
  const endRequested = before === null || before === "cancel" ? asked : before;
  const isRunning = child.status === "running" || child.status === "waitingForPause";
  const task = taskOf(state, child);
  const status = isRunning ? "running" : "queued";
  state.instances.set(instanceKey(child), {
    ...child,
    endRequested,
    status,
    pauseRequested: false,
    updatedAt: now,
  });
  if (isRunning) return;
  const due = { id: child.rowId, claimNumber: 0, run: toRunRef(child) };
  const made = {
    kind: "resume",
    runAt: now,
    status: "pending",
    attempts: 0,
    lockOwner: null,
  } as const;
  const queued =
    task === null ? { ...due, ...made, lockedUntil: null } : pendingTask(task, "resume", now);
  state.tasks.set(queued.id, queued);
}

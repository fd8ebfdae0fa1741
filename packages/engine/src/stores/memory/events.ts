/** Finds the run that an event wakes. */
import { asksFor } from "../../core/event-types.ts";
import {
  type MemoryInstance,
  type MemoryState,
  type MemoryTask,
  pendingTask,
  runKey,
  taskOf,
} from "./state.ts";

/** The run becomes due only if an open wait for that type has not passed its deadline. @returns its task, if so */
export function wakeForEvent(
  state: MemoryState,
  instance: MemoryInstance,
  type: string,
): MemoryTask | null {
  if (instance.status !== "waiting" || taskOf(state, instance)?.status !== "pending") return null;
  const now = state.now();
  // A parent has thousands of steps, and each child's end looks here: no copy of them is made.
  for (const step of state.steps.get(runKey(instance))?.values() ?? [])
    if (
      step.status === "waiting" &&
      asksFor(step.waitEventType, type) &&
      (step.wakeAt === null || step.wakeAt > now)
    )
      return wakeRun(state, instance);
  return null;
}

/** Makes a waiting run due now. @returns its task, if the run is waiting */
export function wakeRun(state: MemoryState, instance: MemoryInstance): MemoryTask | null {
  const task = taskOf(state, instance);
  if (instance.status !== "waiting" || task === null || task.status !== "pending") return null;
  const woken = pendingTask(task, "wake", Math.min(task.runAt, state.now()));
  state.tasks.set(task.id, woken);
  return woken;
}

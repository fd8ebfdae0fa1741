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
  const now = state.now();
  const steps = [...(state.steps.get(runKey(instance))?.values() ?? [])];
  const isAwaited = steps.some(
    (step) =>
      step.status === "waiting" &&
      asksFor(step.waitEventType, type) &&
      (step.wakeAt === null || step.wakeAt > now),
  );
  return isAwaited ? wakeRun(state, instance) : null;
}

/** Makes a waiting run due now. @returns its task, if the run is waiting */
export function wakeRun(state: MemoryState, instance: MemoryInstance): MemoryTask | null {
  const task = taskOf(state, instance);
  if (instance.status !== "waiting" || task === null || task.status !== "pending") return null;
  const woken = pendingTask(task, "wake", Math.min(task.runAt, state.now()));
  state.tasks.set(task.id, woken);
  return woken;
}

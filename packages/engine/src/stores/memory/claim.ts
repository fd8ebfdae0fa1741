import { instanceKey } from "../../core/model/instance-key.ts";
import { assertInvariant } from "../../core/errors.ts";
import { splitHistory } from "../../core/history/history.ts";
import type { EpochMs } from "../../core/model/records.ts";
import {
  type ClaimedRun,
  type ClaimRequest,
  type ClaimResult,
  type ClaimTicket,
  STARTING_TASK_HANDICAP_MS,
} from "../../ports/store.ts";
import { claimTask, isDue, type MemoryState, type MemoryTask, runKey } from "./state.ts";

export function claimDue(state: MemoryState, request: ClaimRequest): ClaimResult {
  const now = state.now();
  const runs = [...state.tasks.values()]
    .filter((task) => isDue(task, now) && request.workflowNames.includes(task.run.workflowName))
    .toSorted((a, b) => claimOrder(a) - claimOrder(b))
    .slice(0, request.limit)
    .map((task) => claimOne(state, task, { ...request, now }));
  return {
    now,
    runs,
    nextWakeAt: runs.length === Math.max(1, request.limit) ? now : nextWakeAt(state, request),
  };
}

/** Resuming tasks first, unless a starting one is much older. */
const claimOrder = (task: MemoryTask): number =>
  task.runAt + (task.kind === "run" ? STARTING_TASK_HANDICAP_MS : 0);

/** Gives a task to a claim and its instance to a runner. */
export function claimOne(
  state: MemoryState,
  task: MemoryTask,
  claim: ClaimTicket & { readonly now: EpochMs },
): ClaimedRun {
  const instance = state.instances.get(instanceKey(task.run));
  assertInvariant(instance !== undefined, "a task has no instance", { ...task.run });
  state.tasks.set(task.id, claimTask(task, claim));
  state.instances.set(instanceKey(task.run), {
    ...instance,
    status: instance.status === "waitingForPause" ? "waitingForPause" : "running",
    startedAt: instance.startedAt ?? claim.now,
    updatedAt: claim.now,
  });
  const key = runKey(task.run);
  const steps = [...(state.steps.get(key)?.values() ?? [])];
  return {
    lease: { taskId: task.id, token: claim.token, instanceRowId: instance.rowId },
    run: task.run,
    params: instance.params,
    createdAt: instance.createdAt,
    ...splitHistory(steps),
    events: (state.events.get(key) ?? []).filter((event) => event.deliveredAt === null),
    lostClaims: task.status === "processing" ? task.attempts : 0,
    pauseRequested: instance.pauseRequested,
  };
}

function nextWakeAt(state: MemoryState, { token, workflowNames }: ClaimRequest): EpochMs | null {
  const instants = [...state.tasks.values()]
    .filter((task) => task.lockOwner !== token && workflowNames.includes(task.run.workflowName))
    .map((task) => (task.status === "pending" ? task.runAt : (task.lockedUntil ?? task.runAt)));
  return instants.length === 0 ? null : Math.min(...instants);
}

/**
 * A stored run in a memory store, so that its replay ends where its history does: open steps are never due, and no event waits for it.
 */
import { instanceKey } from "../../core/model/instance-key.ts";
import type { EpochMs, StepRecord } from "../../core/model/records.ts";
import { NEVER_AT } from "../../core/decide/park.ts";
import type { ClaimedRun } from "../../ports/claim.ts";
import { claimOne } from "../../stores/memory/claim.ts";
import {
  emptyState,
  type MemoryState,
  type MemoryStep,
  type MemoryTask,
  runKey,
  toRunRef,
} from "../../stores/memory/state.ts";
import type { StoredRun } from "./stored-run.ts";

const ROW_ID = "replayed";

/** Replaces the run before with this one. @returns its claim */
export function claimStored(
  state: MemoryState,
  { instance, steps }: StoredRun,
  leaseMs: number,
): ClaimedRun {
  const now = state.now();
  const run = toRunRef(instance);
  Object.assign(state, emptyState(state.now));
  state.instances.set(instanceKey(run), {
    ...instance,
    status: "queued",
    output: null,
    error: null,
    diverged: [],
    pauseRequested: false,
    parent: null,
    deadlineAt: null,
    retryCount: 0,
    updatedAt: now,
    startedAt: instance.startedAt ?? instance.createdAt,
    completedAt: null,
    rowId: ROW_ID,
    controlKey: null,
    keyNumber: null,
    endedBy: null,
  });
  state.steps.set(runKey(run), new Map(steps.map((step) => [step.stepKey, toHeld(step)])));
  const task = toTask(run, now);
  state.tasks.set(task.id, task);
  return claimOne(state, task, { token: ROW_ID, leaseMs, now });
}

/** An attempt that was under way waits for the next attempt; a wait never ends. */
function toHeld(step: StepRecord): MemoryStep {
  if (step.settledOrder !== null) return { ...step, startedKeys: null };
  const isAttempt = step.status === "running" || step.nextRetryAt !== null;
  return {
    ...step,
    startedKeys: null,
    ...(isAttempt ? { status: "waiting", nextRetryAt: NEVER_AT } : {}),
    wakeAt: step.wakeAt === null ? null : NEVER_AT,
  };
}

const toTask = (run: MemoryTask["run"], runAt: EpochMs): MemoryTask => ({
  id: ROW_ID,
  run,
  kind: "resume",
  status: "pending",
  runAt,
  attempts: 0,
  lockOwner: null,
  claimNumber: 0,
  lockedUntil: null,
});

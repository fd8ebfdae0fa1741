import { notAfterDeadline, toEndRequestAt } from "../../core/deadline.ts";
import type { Commit, RunRetried } from "../../core/model/change.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import type { EpochMs } from "../../core/model/records.ts";
import type { CommitResult } from "../../ports/commit.ts";
import {
  type MemoryInstance,
  type MemoryState,
  type MemoryTask,
  pendingTask,
  runKey,
  toRunRef,
} from "./state.ts";

interface Retrying {
  readonly commit: Commit;
  readonly outcome: RunRetried;
  readonly task: MemoryTask;
  readonly instance: MemoryInstance;
  readonly now: EpochMs;
}

type Retried = Partial<Extract<CommitResult, { kind: "committed" }>>;

/** Begins the next run, unless the run was asked to end meanwhile: then it is released, so that it ends. */
export function retryRun(state: MemoryState, retrying: Retrying): Retried {
  const { commit, task, instance: before, now } = retrying;
  const endRequested = toEndRequestAt(before, now);
  const isPaused = before.pauseRequested;
  const instance: MemoryInstance = {
    ...before,
    ...(endRequested === null ? toNextRun(retrying) : { error: null }),
    endRequested,
    status: isPaused ? "paused" : "queued",
    pauseRequested: false,
    updatedAt: now,
    endedBy: toCommitName(commit),
  };
  state.instances.set(instanceKey(commit.run), instance);
  if (endRequested === null) passEventsOn(state, before, instance);
  state.tasks.delete(task.id);
  if (isPaused) return { paused: true };
  const dueAt = endRequested === null ? notAfterDeadline(instance.startedAt ?? now, instance) : now;
  const kind = endRequested === null ? "run" : "resume";
  state.tasks.set(task.id, { ...pendingTask(task, kind, dueAt), run: toRunRef(instance) });
  return { dueAt };
}

function toNextRun({ outcome, instance, now }: Retrying): Partial<MemoryInstance> {
  const { error, due, keys } = outcome;
  const dueAt = "at" in due ? due.at : now + due.inMs;
  return {
    runNumber: instance.runNumber + 1,
    keyNumber: (instance.keyNumber ?? instance.runNumber) + (keys === "new" ? 1 : 0),
    retryCount: instance.retryCount + 1,
    startedAt: dueAt > now ? dueAt : null,
    error,
    diverged: [],
  };
}

/** Events that no step has taken, except those for one step of the failed run: their types contain a space. */
function passEventsOn(state: MemoryState, from: MemoryInstance, to: MemoryInstance): void {
  const events = state.events.get(runKey(from)) ?? [];
  const isPassed = ({ deliveredAt, type }: (typeof events)[number]): boolean =>
    deliveredAt === null && !type.includes(" ");
  state.events.set(runKey(to), events.filter(isPassed));
  state.events.set(
    runKey(from),
    events.filter((event) => !isPassed(event)),
  );
}

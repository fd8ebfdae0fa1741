import { instanceKey } from "../../core/model/instance-key.ts";
import { assertInvariant, WorkflowError } from "../../core/errors.ts";
import type { Change, Commit, RunOutcome } from "../../core/model/change.ts";
import type { EpochMs, EventRecord, StepRecord } from "../../core/model/records.ts";
import { toStepRecord } from "../../core/model/step-record.ts";
import type { CommitResult, RefusedCommit } from "../../ports/store.ts";
import {
  heldTask,
  type MemoryInstance,
  type MemoryState,
  type MemoryTask,
  pendingTask,
  runKey,
} from "./state.ts";

type Committed = Extract<CommitResult, { kind: "committed" }>;

export function applyCommit(state: MemoryState, commit: Commit): CommitResult {
  const task = heldTask(state, commit.lease);
  const instance = state.instances.get(instanceKey(commit.run));
  if (task === null || instance === undefined || instance.runNumber !== commit.run.runNumber)
    return { kind: "conflict" };
  if (commit.changes.some((change) => change.kind === "foreign")) return refuseForeign();
  const now = state.now();
  for (const change of commit.changes) applyChange(state, { commit, change, now });
  const result = applyOutcome(state, commit, { task, instance, now });
  return {
    kind: "committed",
    now,
    pauseRequested: false,
    paused: false,
    events: [],
    dueAt: null,
    ...result,
  };
}

/** There are no other tables here that could be written. */
function refuseForeign(): RefusedCommit {
  const message =
    "the memory store cannot write into other tables; use the SQL store on their database";
  const error = new WorkflowError("STEP_TRANSACTION_UNSUPPORTED", message);
  return { kind: "refused", refusal: { kind: "rejected", error } };
}

interface Applied {
  readonly commit: Commit;
  readonly change: Change;
  readonly now: EpochMs;
}

function applyChange(state: MemoryState, { commit, change, now }: Applied): void {
  const key = runKey(commit.run);
  if (change.kind === "eventConsumed") {
    const events = state.events.get(key) ?? [];
    const index = events.findIndex((event) => event.id === change.eventId);
    const event = events[index];
    assertInvariant(event !== undefined, "a consumed event does not exist", {
      eventId: change.eventId,
    });
    events[index] = { ...event, deliveredAt: now, consumedByStepKey: change.stepKey };
    return;
  }
  if (change.kind === "foreign") return;
  const steps = state.steps.get(key) ?? new Map<string, StepRecord>();
  state.steps.set(key, steps);
  const existing = steps.get(change.step.stepKey);
  steps.set(change.step.stepKey, toStepRecord(change.step, existing?.createdAt ?? null, now));
}

interface Held {
  readonly task: MemoryTask;
  readonly instance: MemoryInstance;
  readonly now: EpochMs;
}

function applyOutcome(state: MemoryState, commit: Commit, held: Held): Partial<Committed> {
  const { outcome } = commit;
  if (outcome.kind === "continue") return keepLease(state, commit, held);
  if (outcome.kind === "park" || outcome.kind === "release") return handBack(state, commit, held);
  state.tasks.delete(held.task.id);
  state.instances.set(instanceKey(commit.run), { ...held.instance, ...ended(outcome, held.now) });
  return { paused: outcome.kind === "pause" };
}

function keepLease(
  state: MemoryState,
  commit: Commit,
  { task, instance, now }: Held,
): Partial<Committed> {
  state.tasks.set(task.id, {
    ...task,
    attempts: commit.impliedAttempts ?? task.attempts,
    lockedUntil: commit.renewLeaseMs === null ? task.lockedUntil : now + commit.renewLeaseMs,
  });
  return {
    pauseRequested: instance.pauseRequested,
    events: commit.readsEvents ? newEvents(state, commit) : [],
  };
}

function handBack(
  state: MemoryState,
  commit: Commit,
  { task, instance, now }: Held,
): Partial<Committed> {
  if (instance.pauseRequested) {
    state.tasks.delete(task.id);
    state.instances.set(instanceKey(commit.run), { ...instance, ...ended({ kind: "pause" }, now) });
    return { paused: true };
  }
  const isPark = commit.outcome.kind === "park";
  const dueAt = commit.outcome.kind === "park" ? parkDueAt(state, commit, now) : now;
  const kind = commit.outcome.kind === "park" ? commit.outcome.taskKind : "resume";
  state.tasks.set(task.id, pendingTask(task, kind, dueAt));
  state.instances.set(instanceKey(commit.run), {
    ...instance,
    status: isPark ? "waiting" : "queued",
    updatedAt: now,
  });
  return { dueAt };
}

/** An event that came since the runner last looked, and that an open wait asks for, is due at once. */
function parkDueAt(state: MemoryState, commit: Commit, now: EpochMs): EpochMs {
  assertInvariant(commit.outcome.kind === "park", "only a parked run has a due time", {});
  const waits = [...(state.steps.get(runKey(commit.run))?.values() ?? [])].filter(
    (step) => step.status === "waiting",
  );
  const isAwaited = newEvents(state, commit).some((event) =>
    waits.some((step) => step.waitEventType === event.type),
  );
  const { at, inMs } = commit.outcome;
  return isAwaited ? now : Math.min(at ?? Infinity, inMs === null ? Infinity : now + inMs);
}

const newEvents = (state: MemoryState, commit: Commit): EventRecord[] =>
  (state.events.get(runKey(commit.run)) ?? []).filter(
    (event) => event.deliveredAt === null && event.sequence > commit.knownEventSequence,
  );

function ended(
  outcome: Extract<RunOutcome, { kind: "pause" | "complete" | "fail" }>,
  now: EpochMs,
): Partial<MemoryInstance> {
  if (outcome.kind === "pause") return { status: "paused", pauseRequested: false, updatedAt: now };
  const times = { updatedAt: now, completedAt: now, pauseRequested: false };
  return outcome.kind === "complete"
    ? { ...times, status: "complete", output: outcome.output, error: null }
    : { ...times, status: "errored", error: outcome.error };
}

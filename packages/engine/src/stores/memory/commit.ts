import { notAfterDeadline, toEndRequestAt } from "../../core/deadline.ts";
import { renewedUntil } from "../../core/lease.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import { assertInvariant, WorkflowError } from "../../core/errors.ts";
import type {
  Change,
  ChildCreated,
  Commit,
  EventReplied,
  RunOutcome,
} from "../../core/model/change.ts";
import { asksFor } from "../../core/event-types.ts";
import { toCommitName } from "../../core/model/commit-name.ts";
import type { EpochMs, EventRecord } from "../../core/model/records.ts";
import { toStepRecord } from "../../core/model/step-record.ts";
import { COMMITTED, type CommitResult, type RefusedCommit } from "../../ports/commit.ts";
import { createChild, releaseChildrenOfStep, tellParent } from "./children.ts";
import { pageOfEvents } from "./event-page.ts";
import { retryRun } from "./retry-run.ts";
import { addProgress } from "./progress.ts";
import { commitTopics } from "./topics.ts";
import { trimSteps } from "./trim-steps.ts";
import {
  heldTask,
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  type MemoryTask,
  pendingTask,
  runKey,
} from "./state.ts";

type Committed = Extract<CommitResult, { kind: "committed" }>;

export function applyCommit(state: MemoryState, commit: Commit): CommitResult {
  const task = heldTask(state, commit.lease);
  const instance = state.instances.get(instanceKey(commit.run));
  if (instance === undefined) return giveTopicBack(state, commit, task);
  if (instance.runNumber !== commit.run.runNumber) return answerRepeat(state, commit, instance);
  const wasApplied = commit.isRepeat === true && instance.endedBy === toCommitName(commit);
  if (task === null || wasApplied) return answerRepeat(state, commit, instance);
  if (commit.changes.some((change) => change.kind === "otherTables")) return refuseForeign();
  if (commit.number <= (task.lastCommit ?? 0)) return answerLate(state, commit, instance);
  const held = { task: { ...task, lastCommit: commit.number }, instance, now: state.now() };
  const { now } = held;
  const children: string[] = [];
  for (const change of commit.changes)
    if (change.kind !== "childCreated") applyChange(state, { commit, change, now });
    else if (createChild(state, commit.run, change)) children.push(change.taskRowId);
  addProgress(state, commit);
  const goesOn = commit.outcome.kind === "continue";
  if (!goesOn) commitTopics(state, commit);
  const result = applyOutcome(state, commit, held);
  // As in SQL, a message for a wait that is just being recorded comes with the next answer, or makes the run due.
  if (goesOn) commitTopics(state, commit);
  return {
    ...COMMITTED,
    now,
    ...(children.length === 0 ? {} : { children }),
    ...result,
  };
}

/** This commit or a later one of its lease was applied before. Nothing changes, and the lease is held. */
function answerLate(state: MemoryState, commit: Commit, instance: MemoryInstance): CommitResult {
  if (commit.outcome.kind !== "continue") return { kind: "conflict" };
  const now = state.now();
  return { ...COMMITTED, now, ...toContinued(state, commit, { instance, now }) };
}

/** The task of a topic has no run. It is released, and nothing else is written. */
function giveTopicBack(
  state: MemoryState,
  { outcome }: Commit,
  task: MemoryTask | null,
): CommitResult {
  if (task !== null && outcome.kind === "release")
    state.tasks.set(task.id, pendingTask(task, task.kind, state.now()));
  return { kind: "conflict" };
}

/** An earlier try of the commit, with a lost answer, may have ended the lease. */
function answerRepeat(state: MemoryState, commit: Commit, instance: MemoryInstance): CommitResult {
  if (commit.outcome.kind === "continue" || instance.endedBy !== toCommitName(commit))
    return { kind: "conflict" };
  const task = state.tasks.get(commit.lease.taskId);
  return {
    ...COMMITTED,
    now: state.now(),
    paused: instance.status === "paused",
    dueAt: task?.status === "pending" ? task.runAt : null,
  };
}

/** This store has no other tables. */
function refuseForeign(): RefusedCommit {
  const message =
    "the memory store cannot write into other tables; use the SQL store on their database";
  const error = new WorkflowError("STEP_TRANSACTION_UNSUPPORTED", message);
  return { kind: "refused", refusal: { kind: "rejected", error } };
}

interface Applied {
  readonly commit: Commit;
  readonly change: Exclude<Change, ChildCreated>;
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
    if (event.deliveredAt !== null) return;
    events[index] = { ...event, deliveredAt: now, consumedByStepKey: change.stepKey };
    return;
  }
  if (change.kind === "otherTables" || change.kind === "messageEmitted") return;
  if (change.kind === "progressMade") return;
  if (change.kind === "eventReplied") return answerEvent(state, key, change);
  if (change.kind === "stepsTrimmed") return trimSteps(state, key, { change, now });
  if (change.kind === "childReleased")
    return void releaseChildrenOfStep(state, commit.run, change.stepKey);
  if (change.kind === "parentTold")
    return void tellParent(state, { ...commit.run, parent: change.parent }, change.event);
  const steps = state.steps.get(key) ?? new Map<string, MemoryStep>();
  state.steps.set(key, steps);
  const { step, version, startedKeys } = change;
  const existing = steps.get(step.stepKey);
  const record = toStepRecord(step, { version, createdAt: existing?.createdAt ?? null, now });
  const names = startedKeys.length === 0 ? null : JSON.stringify(startedKeys);
  // A database returns a copy, and what author code catches after a replay must be the same here.
  const error = structuredClone(record.error);
  steps.set(step.stepKey, { ...record, error, startedKeys: names });
}

function answerEvent(state: MemoryState, key: string, { eventId, reply }: EventReplied): void {
  const events = state.events.get(key) ?? [];
  const index = events.findIndex(({ id }) => id === eventId);
  const event = events[index];
  if (event !== undefined && event.reply === null) events[index] = { ...event, reply };
}

interface Held {
  readonly task: MemoryTask;
  readonly instance: MemoryInstance;
  readonly now: EpochMs;
}

function applyOutcome(state: MemoryState, commit: Commit, held: Held): Partial<Committed> {
  const { outcome } = commit;
  if (outcome.kind === "continue") return keepLease(state, commit, held);
  if (outcome.kind === "park" || outcome.kind === "release" || outcome.kind === "pause")
    return releaseTask(state, commit, held);
  if (outcome.kind === "retryRun") return retryRun(state, { commit, outcome, ...held });
  state.tasks.delete(held.task.id);
  state.instances.set(instanceKey(commit.run), {
    ...held.instance,
    ...ended(outcome, held.now),
    diverged: commit.diverged,
    endedBy: toCommitName(commit),
  });
  return {};
}

function keepLease(
  state: MemoryState,
  commit: Commit,
  { task, instance, now }: Held,
): Partial<Committed> {
  const kept = { ...task, attempts: commit.clearsLostLeases ? 1 : task.attempts };
  state.tasks.set(task.id, {
    ...kept,
    lockedUntil:
      commit.renewLeaseMs === null
        ? kept.lockedUntil
        : renewedUntil(kept, now + commit.renewLeaseMs),
  });
  return toContinued(state, commit, { instance, now });
}

/** What a runner has to know next, if its run continues. */
function toContinued(
  state: MemoryState,
  commit: Commit,
  { instance, now }: Pick<Held, "instance" | "now">,
): Partial<Committed> {
  const { pauseRequested } = instance;
  const endRequested = toEndRequestAt(instance, now);
  if (!commit.readsEvents) return { pauseRequested, endRequested };
  const afterSequence = commit.knownEventSequence;
  const page = pageOfEvents(state, { ...commit.run, afterSequence });
  return { pauseRequested, endRequested, events: page.events, hasMoreEvents: page.hasMore };
}

function releaseTask(
  state: MemoryState,
  commit: Commit,
  { task, instance: before, now }: Held,
): Partial<Committed> {
  const instance = { ...before, endRequested: toEndRequestAt(before, now) };
  const isPark = commit.outcome.kind === "park";
  const diverged = isPark ? commit.diverged : instance.diverged;
  if (instance.pauseRequested) {
    state.tasks.delete(task.id);
    const paused = {
      status: "paused",
      error: null,
      diverged,
      pauseRequested: false,
      updatedAt: now,
      endedBy: toCommitName(commit),
    } as const;
    state.instances.set(instanceKey(commit.run), { ...instance, ...paused });
    return { paused: true };
  }
  const dueAt = commit.outcome.kind === "park" ? parkDueAt(state, commit, { instance, now }) : now;
  const kind = commit.outcome.kind === "park" ? commit.outcome.taskKind : "resume";
  state.tasks.set(task.id, pendingTask(task, kind, dueAt));
  state.instances.set(instanceKey(commit.run), {
    ...instance,
    status: isPark ? "waiting" : "queued",
    error: null,
    diverged,
    updatedAt: now,
    endedBy: toCommitName(commit),
  });
  return { dueAt };
}

/** What the runner does not know yet makes the run due at once: an event that an open wait asks for, and a request to end. */
function parkDueAt(
  state: MemoryState,
  commit: Commit,
  { instance, now }: Pick<Held, "instance" | "now">,
): EpochMs {
  assertInvariant(commit.outcome.kind === "park", "only a parked run has a due time", {});
  const waits = [...(state.steps.get(runKey(commit.run))?.values() ?? [])].filter(
    (step) => step.status === "waiting",
  );
  const isAwaited = newEvents(state, commit).some((event) =>
    waits.some((step) => asksFor(step.waitEventType, event.type)),
  );
  const { at, inMs } = commit.outcome;
  const isUnheard = isAwaited || instance.endRequested !== commit.knownEndRequest;
  const dueAt = Math.min(at ?? Infinity, inMs === null ? Infinity : now + inMs);
  return isUnheard ? now : notAfterDeadline(dueAt, instance);
}

const newEvents = (state: MemoryState, commit: Commit): readonly EventRecord[] =>
  (state.events.get(runKey(commit.run)) ?? []).filter(
    (event) => event.deliveredAt === null && event.sequence > commit.knownEventSequence,
  );

function ended(
  outcome: Extract<RunOutcome, { kind: "complete" | "fail" | "terminate" }>,
  now: EpochMs,
): Partial<MemoryInstance> {
  const times = { updatedAt: now, completedAt: now, pauseRequested: false };
  return outcome.kind === "complete"
    ? { ...times, status: "complete", output: outcome.output, error: null }
    : {
        ...times,
        status: outcome.kind === "fail" ? "errored" : "terminated",
        error: outcome.error,
      };
}

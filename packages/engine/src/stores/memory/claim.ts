import { toEndRequestAt } from "../../core/deadline.ts";
import { unlessNever } from "../../core/decide/park.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import { toStartsAt } from "../../core/delayed-start.ts";
import { assertInvariant } from "../../core/errors.ts";
import { TOPIC_TASKS } from "../../core/engine-names.ts";
import { SUSPECT_ATTEMPTS } from "../../core/suspects.ts";
import type { EpochMs } from "../../core/model/records.ts";
import {
  type CallTicket,
  type ClaimedRun,
  type ClaimRequest,
  type ClaimResult,
  type ClaimTicket,
  type NextDue,
  STARTING_TASK_HANDICAP_MS,
} from "../../ports/claim.ts";
import { toTopicRun } from "../../ports/topics.ts";
import { type CallBudget, newCallBudget } from "./call-budget.ts";
import { pageOfEvents } from "./event-page.ts";
import { claimSteps } from "./step-page.ts";
import { claimTask, isDue, type MemoryState, type MemoryTask, tokenOf } from "./state.ts";

export function claimDue(state: MemoryState, request: ClaimRequest): ClaimResult {
  const now = state.now();
  endFormerLeases(state, request, now);
  const due = [...state.tasks.values()]
    .filter((task) => isDue(task, now) && request.workflowNames.includes(task.run.workflowName))
    .toSorted(inClaimOrder);
  const budget = newCallBudget();
  const runs = toTake(due, request).map((task) =>
    claimOne(state, task, { ...request, now, budget }),
  );
  return {
    now,
    runs,
    ...(runs.length === Math.max(1, request.limit)
      ? { nextWakeAt: now, nextDueAt: now }
      : findNext(state, request, now)),
    suspectDue: due.some(
      (task) => isSuspect(task) && state.tasks.get(task.id)?.lockOwner !== request.token,
    ),
  };
}

/** The due tasks that a claim takes, in its order. */
function toTake(due: readonly MemoryTask[], request: ClaimRequest): readonly MemoryTask[] {
  const { suspects, limit } = request;
  if (suspects === undefined) return inTurn(due, limit);
  const alone = suspects === "alone" ? due.filter(isSuspect).toSorted(byEndOfLease) : [];
  const [first] = alone;
  if (first !== undefined && limit > 0) return [first];
  return inTurn(
    due.filter((task) => !isSuspect(task)),
    limit,
  );
}

/**
 * For each workflow, the first resuming tasks, the first starting tasks, and the leases that ended first, up to the limit each; of
 * all these the first, as in SQL.
 */
function inTurn(due: readonly MemoryTask[], limit: number): readonly MemoryTask[] {
  const ranges = new Map<string, MemoryTask[]>();
  for (const task of due) {
    const { status, kind, run } = task;
    const range = `${status === "pending" && kind === "run"} ${status} ${run.workflowName}`;
    const tasks = ranges.get(range) ?? [];
    tasks.push(task);
    ranges.set(range, tasks);
  }
  const first = new Set(
    [...ranges.values()].flatMap((range) => range.toSorted(inRange).slice(0, limit)),
  );
  return due.filter((task) => first.has(task)).slice(0, limit);
}

const inRange = (a: MemoryTask, b: MemoryTask): number =>
  (a.status === "processing" ? byEndOfLease(a, b) : a.runAt - b.runAt) ||
  (a.run.instanceId < b.run.instanceId ? -1 : 1);

const byEndOfLease = (a: MemoryTask, b: MemoryTask): number =>
  (a.lockedUntil ?? 0) - (b.lockedUntil ?? 0);

const isSuspect = (task: MemoryTask): boolean =>
  task.status === "processing" && task.attempts >= SUSPECT_ATTEMPTS;

function endFormerLeases(
  state: MemoryState,
  { formerRunnerId = null, life }: ClaimRequest,
  now: EpochMs,
): void {
  if (formerRunnerId === null) return;
  for (const task of state.tasks.values()) {
    const { lockOwner } = task;
    const isPresent = life !== undefined && lockOwner?.startsWith(`${formerRunnerId}~${life}~`);
    const isFormer = lockOwner?.startsWith(`${formerRunnerId}~`) === true && isPresent !== true;
    if (isFormer && !isDue(task, now)) state.tasks.set(task.id, { ...task, lockedUntil: now });
  }
}

/** Resuming tasks come first, unless a starting one is much older; among equals the starting one, then by id, as in SQL. */
const inClaimOrder = (a: MemoryTask, b: MemoryTask): number =>
  claimOrder(a) - claimOrder(b) || a.runAt - b.runAt || (a.id < b.id ? -1 : 1);

const claimOrder = (task: MemoryTask): number =>
  task.runAt + (task.kind === "run" ? STARTING_TASK_HANDICAP_MS : 0);

/** Gives a task to a claim and its instance to a runner. */
export function claimOne(
  state: MemoryState,
  task: MemoryTask,
  claim: ClaimTicket & { readonly now: EpochMs; readonly budget?: CallBudget },
): ClaimedRun {
  if (task.run.workflowName === TOPIC_TASKS) return claimTopic(state, task, claim);
  const instance = state.instances.get(instanceKey(task.run));
  assertInvariant(instance !== undefined, "a task has no instance", { ...task.run });
  const claimed = claimTask(task, claim);
  const startedAt = toStartsAt(instance) === null ? (instance.startedAt ?? claim.now) : claim.now;
  const endRequested = toEndRequestAt(instance, claim.now);
  state.tasks.set(task.id, claimed);
  state.instances.set(instanceKey(task.run), {
    ...instance,
    endRequested,
    status: instance.status === "waitingForPause" ? "waitingForPause" : "running",
    startedAt,
    updatedAt: claim.now,
  });
  const page = pageOfEvents(state, { ...task.run, afterSequence: 0 }, claim.budget);
  return {
    lease: { taskId: task.id, token: tokenOf(claimed), instanceRowId: instance.rowId },
    run: task.run,
    keyNumber: instance.keyNumber ?? task.run.runNumber,
    retryCount: instance.retryCount,
    params: instance.params,
    createdAt: instance.createdAt,
    startedAt,
    isFirst: startedAt === claim.now,
    ...claimSteps(state, task.run, claim.budget),
    events: page.events,
    hasMoreEvents: page.hasMore,
    lostLeases: task.status === "processing" ? task.attempts : 0,
    pauseRequested: instance.pauseRequested,
    endRequested,
    parent: instance.parent,
    traceContext: instance.traceContext ?? null,
  };
}

function claimTopic(
  state: MemoryState,
  task: MemoryTask,
  claim: ClaimTicket & { readonly now: EpochMs },
): ClaimedRun {
  const claimed = claimTask(task, claim);
  state.tasks.set(task.id, claimed);
  return toTopicRun({ taskId: task.id, token: tokenOf(claimed) }, task.run);
}

/** What is due next, for a call that claims its own run. */
export const findNextDue = (state: MemoryState, claim: CallTicket | null): NextDue | undefined =>
  claim?.looksFor === undefined
    ? undefined
    : findNext(state, { token: claim.token, workflowNames: claim.looksFor }, state.now());

function findNext(
  state: MemoryState,
  { token, workflowNames, suspects }: Pick<ClaimRequest, "token" | "workflowNames" | "suspects">,
  now: EpochMs,
): NextDue {
  let dueAt = Infinity;
  let leaseEndsAt = Infinity;
  for (const task of state.tasks.values()) {
    if (task.lockOwner === token || !workflowNames.includes(task.run.workflowName)) continue;
    if (suspects !== undefined && isSuspect(task) && isDue(task, now)) continue;
    if (task.status === "pending") dueAt = Math.min(dueAt, unlessNever(task.runAt) ?? Infinity);
    leaseEndsAt = Math.min(leaseEndsAt, task.lockedUntil ?? Infinity);
  }
  return {
    now,
    nextWakeAt: toInstant(Math.min(dueAt, leaseEndsAt)),
    nextDueAt: toInstant(dueAt),
  };
}

const toInstant = (at: number): EpochMs | null => (at === Infinity ? null : at);

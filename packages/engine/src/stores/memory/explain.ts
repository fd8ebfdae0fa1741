/** The facts that explain an instance, from memory. */
import {
  type ChildFacts,
  type EventCount,
  type ExplainFacts,
  MOST_FACTS,
  type OpenStep,
  toErrorFacts,
} from "../../core/explain/facts.ts";
import { toChildEvent } from "../../core/child.ts";
import { type InstanceRef, instanceKey } from "../../core/model/instance-key.ts";
import { isScope } from "../../core/model/status.ts";
import {
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  runKey,
  taskOf,
  toRunRef,
} from "./state.ts";

export function loadFacts(state: MemoryState, ref: InstanceRef): ExplainFacts | null {
  const instance = state.instances.get(instanceKey(ref));
  if (instance === undefined) return null;
  const open = openStepsOf(state, instance);
  const openSteps = open.slice(0, MOST_FACTS);
  const counts = countEvents(state, instance);
  return {
    now: state.now(),
    instance: toInstanceFacts(instance),
    task: toTaskFacts(state, instance),
    openSteps: openSteps.map(toOpenStep),
    hasMoreSteps: open.length > MOST_FACTS,
    events: counts.slice(0, MOST_FACTS),
    hasMoreTypes: counts.length > MOST_FACTS,
    children: childrenOf(state, instance, openSteps),
  };
}

const toInstanceFacts = (instance: MemoryInstance): ExplainFacts["instance"] => ({
  ...toRunRef(instance),
  status: instance.status,
  error: toErrorFacts(instance.error),
  diverged: instance.diverged,
  pauseRequested: instance.pauseRequested,
  endRequested: instance.endRequested,
  retryCount: instance.retryCount,
  deadlineAt: instance.deadlineAt,
  updatedAt: instance.updatedAt,
  startedAt: instance.startedAt,
  completedAt: instance.completedAt,
});

function toTaskFacts(state: MemoryState, instance: MemoryInstance): ExplainFacts["task"] {
  const task = taskOf(state, instance);
  if (task === null) return null;
  const { kind, status, runAt, lockedUntil, attempts } = task;
  return { kind, status, runAt, lockedUntil, attempts };
}

const openStepsOf = (state: MemoryState, instance: MemoryInstance): readonly MemoryStep[] =>
  [...(state.steps.get(runKey(instance))?.values() ?? [])]
    .filter((step) => (step.status === "running" || step.status === "waiting") && !isScope(step))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));

const toOpenStep = (step: MemoryStep): OpenStep => ({
  stepKey: step.stepKey,
  type: step.type,
  status: step.status,
  attempts: step.attempts,
  maxAttempts: step.maxAttempts,
  nextRetryAt: step.nextRetryAt,
  wakeAt: step.wakeAt,
  waitEventType: step.waitEventType,
  attemptStartedAt: step.attemptStartedAt,
  runner: step.runner,
  error: toErrorFacts(step.error),
});

function countEvents(state: MemoryState, instance: MemoryInstance): readonly EventCount[] {
  const counts = new Map<string, number>();
  for (const { type, deliveredAt } of state.events.get(runKey(instance)) ?? [])
    if (deliveredAt === null && !type.includes(" ")) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .toSorted((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
}

function childrenOf(
  state: MemoryState,
  run: MemoryInstance,
  openSteps: readonly MemoryStep[],
): readonly ChildFacts[] {
  const awaited = new Set(openSteps.map(({ waitEventType }) => waitEventType));
  const found = state.instances
    .childrenOf(run)
    .flatMap(({ parent, ...child }) =>
      parent?.runNumber === run.runNumber &&
      awaited.has(toChildEvent(parent.stepKey, child.instanceId))
        ? [{ ...toRunRef(child), stepKey: parent.stepKey, status: child.status }]
        : [],
    );
  return found.toReversed().slice(0, MOST_FACTS);
}

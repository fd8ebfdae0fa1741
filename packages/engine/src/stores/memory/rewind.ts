import { instanceKey } from "../../core/model/instance-key.ts";
import {
  createReturned,
  isRewindEvent,
  keepUndoName,
  leavesRow,
  MAX_REWINDS_TOLD,
  planRewind,
  REWIND,
  type RewindPlan,
  toRewindEvent,
  toRewindPayload,
} from "../../core/decide/rewind.ts";
import { mismatchOf, repetitionOf } from "../../core/decide/demand.ts";
import { hasChild } from "../../core/decide/invoke.ts";
import type { Transition } from "../../core/decide/lifecycle.ts";
import type {
  ForkRequest,
  ForkResult,
  RewindDemand,
  RewindRequest,
  RewindResult,
} from "../../ports/rewind.ts";
import { releaseChildren } from "./children.ts";
import { applyTransition, moveTask, toReopened } from "./control.ts";
import { createInstances } from "./create.ts";
import {
  type MemoryEvent,
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  runKey,
  toRecord,
} from "./state.ts";

const NO_CHILD = { status: "pending" } as const;

type Refused = Exclude<ForkResult, { readonly kind: "created" | "exists" }>;

interface Planned {
  readonly instance: MemoryInstance;
  readonly plan: RewindPlan<MemoryStep>;
}

export function applyRewind(state: MemoryState, request: RewindRequest): RewindResult {
  const { controlKey, taskRowId, keepsKeys } = request;
  const before = state.instances.get(instanceKey(request));
  const repetition = before === undefined ? null : repetitionOf(before, request);
  if (before !== undefined && repetition !== null) {
    const kind = repetition === "repeated" ? "applied" : repetition;
    return { kind, instance: toRecord(before), woke: false };
  }
  const planned = plan(state, request);
  if ("kind" in planned) return planned;
  const { instance } = planned;
  // The same call came before.
  if (state.events.get(runKey(instance))?.some(({ id }) => id === request.eventRowId))
    return { kind: "applied", instance: toRecord(instance), woke: false };
  bringBack(state, request, planned);
  const steps = state.steps.get(runKey(instance));
  releaseChildren(state, instance, (key) => !hasChild(steps?.get(key) ?? NO_CHILD));
  const transition = REWIND.transitions[instance.status] as Transition;
  const keyed = {
    ...instance,
    controlKey: controlKey ?? instance.controlKey,
    keyNumber: keepsKeys ? instance.keyNumber : (instance.keyNumber ?? instance.runNumber) + 1,
  };
  const after = applyTransition(state, keyed, { rule: REWIND, transition });
  moveTask(state, { before: instance, after, rule: REWIND, transition, taskRowId });
  return { kind: "applied", instance: toRecord(after), woke: transition.task === "enqueue" };
}

/** Checks what the request demands of the run, and plans what happens to it. */
function plan(state: MemoryState, demand: RewindDemand): Planned | Refused {
  const instance = state.instances.get(instanceKey(demand));
  if (instance === undefined) return { kind: "notFound" };
  const steps = [...(state.steps.get(runKey(instance))?.values() ?? [])];
  const planned = mismatchOf(instance, demand) ?? planRewind(instance, steps, demand.stepKey);
  return typeof planned === "string"
    ? { kind: planned, instance: toRecord(instance) }
    : { instance, plan: planned };
}

function bringBack(
  state: MemoryState,
  { stepKey, eventRowId, keepsKeys }: RewindRequest,
  { instance, plan: planned }: Planned,
): void {
  const key = runKey(instance);
  const now = state.now();
  const isReturned = createReturned(planned);
  const events = (state.events.get(key) ?? []).map((event) =>
    isReturned(event) ? toUndelivered(event) : event,
  );
  state.sequence += 1;
  events.push({
    id: eventRowId,
    sequence: state.sequence,
    eventId: null,
    type: toRewindEvent(stepKey),
    payload: toRewindPayload(planned.removed.length, keepsKeys),
    createdAt: now,
    deliveredAt: now,
    consumedByStepKey: null,
    reply: null,
  });
  const told = new Set(events.filter(isRewindEvent).slice(0, -MAX_REWINDS_TOLD));
  state.events.set(
    key,
    events.filter((event) => !told.has(event)),
  );
  const left = planned.removed.filter((step) => leavesRow(step, keepsKeys));
  const steps = [
    ...toKept(planned, { now, raise: 1 }),
    ...left.map((step) => toReopened(step, now)),
  ];
  state.steps.set(key, new Map(steps.map((step) => [step.stepKey, step])));
}

const toUndelivered = (event: MemoryEvent): MemoryEvent => ({
  ...event,
  deliveredAt: null,
  consumedByStepKey: null,
});

/** The remaining rows, in their new state. @param raise is added to the version of a row that changes */
function toKept(
  { kept, reopened }: RewindPlan<MemoryStep>,
  { now, raise }: { readonly now: number; readonly raise: number },
): readonly MemoryStep[] {
  const loops = new Set(reopened);
  return kept.map((step) => {
    const startedKeys = keepUndoName(step.stepKey, step.startedKeys);
    const open = { status: "running", settledOrder: null, error: null, updatedAt: now } as const;
    return loops.has(step) && step.settledOrder !== null
      ? { ...step, ...open, startedKeys, version: step.version + raise }
      : { ...step, startedKeys };
  });
}

export function applyFork(
  state: MemoryState,
  { create, keepsParams, stepRowIds, ...demand }: ForkRequest,
): ForkResult {
  const existing = state.instances.get(instanceKey(create));
  const isOurs = existing?.rowId === create.instanceRowId;
  if (existing !== undefined && isOurs) return { kind: "created", instance: toRecord(existing) };
  const planned = plan(state, demand);
  if ("kind" in planned) return planned;
  if (existing !== undefined) return { kind: "exists", instance: toRecord(existing) };
  const { instance } = planned;
  const { params, tags, memo } = instance;
  createInstances(state, [{ ...create, tags, memo, ...(keepsParams ? { params } : {}) }]);
  const made = state.instances.known(create);
  const { instanceId, runNumber } = instance;
  const fork = { ...made, forkedFrom: { instanceId, runNumber, stepKey: demand.stepKey } };
  state.instances.set(instanceKey(fork), fork);
  // Its rows are new, so no older version of them is known.
  const steps = toKept(planned.plan, { now: state.now(), raise: 0 })
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .map((step, index) => toCopy(step, toCopyId(stepRowIds, index)));
  state.steps.set(runKey(fork), new Map(steps.map((step) => [step.stepKey, step])));
  return { kind: "created", instance: toRecord(fork) };
}

const toCopy = (step: MemoryStep, id: string): MemoryStep => ({ ...step, id });

/** The ids rise, like those of rows that are inserted one after another. */
const toCopyId = (prefix: string, index: number): string =>
  `${prefix}.${String(index + 1).padStart(7, "0")}`;

import { utf8Size } from "../../core/plain-codec.ts";
import { instanceKey } from "../../core/model/instance-key.ts";
import { decideCommand, dueAfter, toCommanded } from "../../core/decide/command.ts";
import { mismatchOf } from "../../core/decide/demand.ts";
import {
  leavesChildren,
  LIFECYCLE,
  type LifecycleRule,
  type Transition,
} from "../../core/decide/lifecycle.ts";
import { type CallbackVerdict, decideCallback } from "../../core/decide/callback.ts";
import { enclosingKeys, hasLeft } from "../../core/enclosing-scopes.ts";
import { findReopened, reopenStep } from "../../core/decide/reopen.ts";
import type { EpochMs, EventRecord } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { CallbackTarget, SendEventRequest, SendEventResult } from "../../ports/send-event.ts";
import type { ControlRequest, ControlResult } from "../../ports/control.ts";
import { releaseChildren, notifyTerminated } from "./children.ts";
import { claimOne, findNextDue } from "./claim.ts";
import { wakeForEvent } from "./events.ts";
import {
  type MemoryEvent,
  type MemoryInstance,
  type MemoryState,
  type MemoryStep,
  NEVER_CLAIMED,
  runKey,
  taskOf,
  toRecord,
  toRunRef,
} from "./state.ts";

export function applyControl(state: MemoryState, request: ControlRequest): ControlResult {
  const instance = state.instances.get(instanceKey(request));
  if (instance === undefined) return { kind: "notFound" };
  const transition = decideCommand(instance, request);
  if (transition === null) return { kind: "applied", instance: toRecord(instance), woke: false };
  if (typeof transition === "string") return { kind: transition, instance: toRecord(instance) };
  const rule = LIFECYCLE[request.command];
  const keyed = { ...instance, controlKey: request.controlKey ?? instance.controlKey };
  if (rule.run === "reopened") reopenSteps(state, instance);
  const after = applyTransition(state, keyed, { rule, transition });
  moveTask(state, { before: instance, after, rule, transition, taskRowId: request.taskRowId });
  const wokeOthers = leaveOthers(state, instance, request);
  const woke = wokeOthers || transition.task === "enqueue";
  return { kind: "applied", instance: toRecord(after), woke };
}

/** @returns whether a child or the parent is due */
function leaveOthers(
  state: MemoryState,
  instance: MemoryInstance,
  { command, taskRowId }: ControlRequest,
): boolean {
  const isAnyDue = leavesChildren(command) && releaseChildren(state, instance, () => true);
  return (command === "terminate" && notifyTerminated(state, instance, taskRowId)) || isAnyDue;
}

export function applyTransition(
  state: MemoryState,
  before: MemoryInstance,
  { rule, transition }: { readonly rule: LifecycleRule; readonly transition: Transition },
): MemoryInstance {
  const keyNumber = (before.keyNumber ?? before.runNumber) + (rule.keys === "new" ? 1 : 0);
  const after: MemoryInstance = {
    ...toCommanded(before, { rule, transition, now: state.now() }),
    ...(rule.run === "new" ? { keyNumber } : {}),
  };
  state.instances.set(instanceKey(before), after);
  return after;
}

function reopenSteps(state: MemoryState, instance: MemoryInstance): void {
  const steps = state.steps.get(runKey(instance)) ?? new Map<string, MemoryStep>();
  for (const step of findReopened(instance.error, [...steps.values()])) {
    steps.set(step.stepKey, toReopened(step, state.now()));
  }
}

export function toReopened(step: MemoryStep, now: EpochMs): MemoryStep {
  const { keepsResult, ...open } = reopenStep(step, now);
  const result = keepsResult ? step.result : null;
  const version = step.version + 1;
  return { ...step, ...open, result, startedKeys: null, version, updatedAt: now };
}

interface TaskMove {
  readonly before: MemoryInstance;
  readonly after: MemoryInstance;
  readonly rule: LifecycleRule;
  readonly transition: Transition;
  readonly taskRowId: string;
}

export function moveTask(state: MemoryState, move: TaskMove): void {
  if (move.transition.task === "keep") return;
  const old = taskOf(state, move.before);
  if (old !== null) state.tasks.delete(old.id);
  if (move.transition.task !== "enqueue") return;
  state.tasks.set(move.taskRowId, {
    id: move.taskRowId,
    run: toRunRef(move.after),
    kind: move.rule.taskKind,
    runAt: dueAfter(move.rule, move.before) ?? state.now(),
    ...NEVER_CLAIMED,
  });
}

export function acceptEvent(state: MemoryState, request: SendEventRequest): SendEventResult {
  const instance = state.instances.get(instanceKey(request));
  if (instance === undefined) return { kind: "notFound" };
  const events = state.events.get(runKey(instance)) ?? [];
  state.events.set(runKey(instance), events);
  const refused = storeEvent(state, events, { instance, request });
  if (refused !== null) return { kind: refused, instance: toRecord(instance) };
  // A repeat of the call wakes no run for an event that a wait has taken, or that belonged to another run.
  const isStored = events.some(
    ({ id, deliveredAt }) => id === request.eventRowId && deliveredAt === null,
  );
  const woken = isStored ? wakeForEvent(state, instance, request.type) : null;
  const { claim } = request;
  const run =
    woken === null || claim === null
      ? null
      : claimOne(state, woken, { ...claim, now: state.now() });
  const after = state.instances.get(instanceKey(request)) ?? instance;
  const next = findNextDue(state, claim);
  return { kind: "applied", instance: toRecord(after), woke: woken !== null, run, next };
}

/** Adds the event unless it exists already. @returns the reason why it was refused */
function storeEvent(
  state: MemoryState,
  events: MemoryEvent[],
  { instance, request }: { readonly instance: MemoryInstance; readonly request: SendEventRequest },
): Exclude<SendEventResult["kind"], "applied" | "notFound"> | null {
  const { eventRowId, eventId, type, payload, cap, callback, demand } = request;
  const earlier = events.find(
    (event) => event.id === eventRowId || (eventId !== null && event.eventId === eventId),
  );
  if (callback !== undefined) {
    const verdict = judgeCallback(state, { ...request, callback });
    if (verdict !== "open") return verdict === "stored" ? null : verdict;
  } else if (earlier !== undefined)
    return earlier.type === type && earlier.payload === payload ? null : "eventIdConflict";
  else if (wasOfEarlierRun(state, instance, eventRowId)) return null;
  const mismatch = demand === undefined ? null : mismatchOf(instance, demand);
  if (mismatch !== null) return mismatch;
  if (isTerminal(instance.status)) return "terminal";
  const held = events.filter((event) => event.deliveredAt === null);
  const heldBytes = held.reduce((sum, event) => sum + sizeOf(event), sizeOf({ payload }));
  if (held.length >= cap.maxCount || heldBytes > cap.maxBytes) return "eventLimit";
  events.push(newEvent(state, request));
  return null;
}

function judgeCallback(
  state: MemoryState,
  {
    eventRowId,
    eventId,
    callback,
    ...ref
  }: SendEventRequest & { readonly callback: CallbackTarget },
): CallbackVerdict {
  const { stepKey } = callback;
  const key = runKey({ ...ref, ...callback });
  const event = state.events.get(key)?.find((one) => one.eventId === eventId);
  const instance = state.instances.get(instanceKey(ref));
  const steps = state.steps.get(key);
  const step = steps?.get(stepKey);
  return decideCallback({
    event:
      (event && {
        isMine: event.id === eventRowId,
        isDelivered: event.deliveredAt !== null,
      }) ||
      null,
    isOpen:
      instance?.runNumber === callback.runNumber &&
      !isTerminal(instance.status) &&
      (step === undefined ||
        (step.status === "waiting" && (step.wakeAt === null || step.wakeAt > state.now()))),
    isLeft: hasLeft(
      stepKey,
      enclosingKeys(stepKey).flatMap((around) => steps?.get(around) ?? []),
    ),
  });
}

/** The same call came before, and the instance was restarted since. */
function wasOfEarlierRun(state: MemoryState, run: MemoryInstance, eventRowId: string): boolean {
  for (let runNumber = run.runNumber - 1; runNumber > 0; runNumber -= 1) {
    const events = state.events.get(runKey({ ...run, runNumber })) ?? [];
    if (events.some(({ id }) => id === eventRowId)) return true;
  }
  return false;
}

const sizeOf = ({ payload }: Pick<EventRecord, "payload">): number =>
  payload === null ? 0 : utf8Size(payload);

function newEvent(state: MemoryState, request: SendEventRequest): MemoryEvent {
  state.sequence += 1;
  return {
    id: request.eventRowId,
    sequence: state.sequence,
    eventId: request.eventId,
    type: request.type,
    payload: request.payload,
    createdAt: state.now(),
    deliveredAt: null,
    consumedByStepKey: null,
    reply: null,
    ...(request.traceContext === undefined ? {} : { traceContext: request.traceContext }),
  };
}

/** Sending an event in anybody's transaction, with the meaning of the store's `sendEvent`. */
import type { TxResult } from "@fragno-dev/db";
import {
  asksFor,
  callbackLate,
  type CallbackRef,
  type CallbackTarget,
  callbackUsed,
  decideCallback,
  enclosingKeys,
  encodeCallbackPayload,
  encodePayload,
  eventIdConflict,
  eventLimit,
  hasLeft,
  type InstanceRef,
  isTerminal,
  type JsonText,
  type Limits,
  parseEvent,
  payloadOf,
  payloadSchema,
  type SendEventInput,
  terminal,
  toCallbackEvent,
  toInstanceView,
  utf8Size,
  validateNow,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readEvent, readInstance, readStep } from "../rows.ts";
import {
  currentRun,
  findInstance,
  findTasks,
  type FoundInstance,
  parseRef,
  requireInstance,
} from "./find-instance.ts";
import {
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";

/** An event as it is stored. */
interface NewEvent {
  readonly type: string;
  readonly payload: JsonText | null;
  readonly eventId: string | null;
  readonly sizeBytes: number;
}

/** A new event, and the one wait that it is for; null: any of its type. */
interface SentEvent extends InstanceRef {
  readonly event: NewEvent;
  readonly callback: CallbackTarget | null;
}

interface Delivery extends FoundInstance {
  /** The run has the event already: nothing is written. */
  readonly isRepeat: boolean;
  readonly task: FragnoRow | null;
  /** The task is due already, and keeps its time. */
  readonly isDue: boolean;
  /** An open wait asks for the event: the task is made due. */
  readonly wakes: boolean;
}

export function sendEvent(
  scope: ServiceScope,
  ref: InstanceRef,
  input: SendEventInput,
): TxResult<InstanceStatus> {
  const { host } = scope;
  const parsed = parseRef(host, ref.workflowName, ref.instanceId);
  const event = toEvent(host, parsed.workflowName, input);
  return deliver(scope, { ...parsed, event, callback: null });
}

/** Gives a callback's payload to its wait. @param ref what a token that was verified is for */
export function completeCallback(
  scope: ServiceScope,
  { workflowName, instanceId, runNumber, stepKey }: CallbackRef,
  given: unknown,
): TxResult<InstanceStatus> {
  const payload = encodeCallbackPayload(scope.host.context.limits, given);
  const type = toCallbackEvent(stepKey);
  const event = { type, payload, eventId: type, sizeBytes: sizeOf(payload) };
  const callback = { runNumber, stepKey };
  return deliver(scope, { workflowName, instanceId, event, callback });
}

function deliver(scope: ServiceScope, sent: SentEvent): TxResult<InstanceStatus> {
  const { host } = scope;
  const { workflowName, instanceId, event, callback } = sent;
  const ref = { workflowName, instanceId };
  return toServiceCall(scope, {
    find: (uow) => {
      const found = findDelivery(host, uow, { ...ref, ...event });
      return callback === null ? found : findTarget(host, found, { ...ref, ...callback });
    },
    decide: (found): Delivery => decideDelivery(found, sent, host.context.limits),
    write: (uow, delivery) => {
      if (!delivery.isRepeat) writeEvent(host, uow, { delivery, event });
    },
    answer: ({ record }) => toInstanceView(record).details,
    committed: ({ wakes }) => {
      if (wakes) wake(host, { ...ref, reason: "event" });
    },
  });
}

const sizeOf = (payload: JsonText | null): number => (payload === null ? 0 : utf8Size(payload));

function toEvent(host: FragmentHost, workflowName: string, input: SendEventInput): NewEvent {
  const { limits } = host.context;
  const { type, eventId } = parseEvent(input, limits);
  const workflow = host.find(workflowName);
  const schema = payloadSchema(workflow, type);
  const parsed = validateNow(schema, input.payload, payloadOf(workflow, type));
  const payload = encodePayload(limits, { type, payload: parsed });
  return { type, payload, eventId, sizeBytes: sizeOf(payload) };
}

function findDelivery(host: FragmentHost, uow: WriteUow, event: InstanceRef & NewEvent): WriteUow {
  const { sql } = host;
  const { workflowName, instanceId, type } = event;
  const found = findTasks(findInstance(uow, event), event)
    .find("workflow_task", (find) =>
      find.whereIndex("unique_run", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runAt", "<=", sql.clock()),
        ),
      ),
    )
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("status", "=", "waiting"),
          // Of a wait for several types it is a part; `asksFor` tells it from a part of another type.
          is.or(is("waitEventType", "=", type), is("waitEventType", "contains", type)),
          is.or(is.isNull("wakeAt"), is("wakeAt", ">", sql.clock())),
        ),
      ),
    ) as unknown as WriteUow;
  const held = findUndelivered(host, found, event);
  return event.eventId === null ? held : findRepeat(held, { ...event, eventId: event.eventId });
}

/** Sizes of what the run holds; one more than it may hold is enough to know. */
const findUndelivered = (
  { context }: FragmentHost,
  uow: WriteUow,
  { workflowName, instanceId }: InstanceRef,
): WriteUow =>
  uow.find("workflow_event", (find) =>
    find
      .whereIndex("idx_history", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", currentRun({ workflowName, instanceId })),
          is.isNull("deliveredAt"),
        ),
      )
      .select(["id", "sizeBytes"])
      .pageSize(context.limits.maxUndeliveredEvents),
  ) as unknown as WriteUow;

const findRepeat = (
  uow: WriteUow,
  { workflowName, instanceId, eventId }: InstanceRef & { readonly eventId: string },
): WriteUow =>
  uow.find("workflow_event", (find) =>
    find.whereIndex("idx_history", (is) =>
      is.and(
        is("workflowName", "=", workflowName),
        is("instanceId", "=", instanceId),
        is("runNumber", "=", currentRun({ workflowName, instanceId })),
        is("eventId", "=", eventId),
      ),
    ),
  ) as unknown as WriteUow;

/** The wait itself if it takes an event no more, and the scopes around it. */
const findTarget = (
  { sql }: FragmentHost,
  uow: WriteUow,
  { workflowName, instanceId, runNumber, stepKey }: CallbackRef,
): WriteUow =>
  uow
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", runNumber),
          is("stepKey", "=", stepKey),
          is.or(is("status", "!=", "waiting"), is("wakeAt", "<=", sql.clock())),
        ),
      ),
    )
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", runNumber),
          is("stepKey", "in", ["", ...enclosingKeys(stepKey)]),
        ),
      ),
    ) as unknown as WriteUow;

/** @throws {WorkflowError} CALLBACK_USED, CALLBACK_LATE */
function assertTakes(
  [instances = [], , , , , repeats = [], ended = [], scopes = []]: Found,
  { runNumber, stepKey }: CallbackTarget,
): void {
  const [instance] = instances;
  const record = instance === undefined ? null : readInstance(instance);
  const isOfRun = record?.runNumber === runNumber;
  const [event] = isOfRun ? repeats : [];
  const verdict = decideCallback({
    event:
      event === undefined ? null : { isMine: false, isDelivered: event["deliveredAt"] !== null },
    isOpen: isOfRun && !isTerminal(record.status) && ended.length === 0,
    isLeft: hasLeft(stepKey, scopes.map(readStep)),
  });
  if (verdict === "callbackUsed") throw callbackUsed();
  if (verdict === "callbackLate") throw callbackLate();
}

/**
 * @throws {WorkflowError} INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, EVENT_ID_CONFLICT, EVENT_LIMIT; of callbacks CALLBACK_USED,
 *   CALLBACK_LATE, EVENT_LIMIT
 */
function decideDelivery(
  found: Found,
  { event: sent, callback, ...ref }: SentEvent,
  limits: Limits,
): Delivery {
  if (callback !== null) assertTakes(found, callback);
  const event = { ...ref, ...sent };
  const [instances, tasks = [], dueTasks = [], waits = [], held = [], repeats = []] = found;
  const { row, record } = requireInstance(instances, event);
  const [earlier] = repeats;
  if (earlier !== undefined) {
    const { type, payload } = readEvent(earlier);
    if (type !== event.type || payload !== event.payload)
      throw eventIdConflict(event, event.eventId);
    return { row, record, task: null, isDue: false, wakes: false, isRepeat: true };
  }
  if (isTerminal(record.status)) throw terminal(record);
  const heldBytes = held.reduce((sum, one) => sum + Number(one["sizeBytes"] ?? 0), 0);
  const isFull = held.length >= limits.maxUndeliveredEvents;
  if (isFull || heldBytes + event.sizeBytes > limits.maxUndeliveredEventBytes)
    throw eventLimit(event, limits);
  const isOfRun = (other: FragnoRow): boolean => other["runNumber"] === record.runNumber;
  const task = tasks.find(isOfRun) ?? null;
  const isAwaited = waits.some(
    (wait) => isOfRun(wait) && asksFor(readStep(wait).waitEventType, event.type),
  );
  const wakes = record.status === "waiting" && task?.["status"] === "pending" && isAwaited;
  return { row, record, task, isDue: dueTasks.some(isOfRun), wakes, isRepeat: false };
}

/** The task first, then the instance, as everywhere: both are held, so that no commit of a runner comes between. */
function writeEvent(
  host: FragmentHost,
  uow: WriteUow,
  { delivery, event }: { readonly delivery: Delivery; readonly event: NewEvent },
): void {
  const { row, record, task, wakes, isDue } = delivery;
  const { workflowName, instanceId, runNumber } = record;
  const now = host.sql.clock();
  const woken = { kind: "wake", priority: 0, ...(isDue ? {} : { runAt: now }) };
  if (task !== null) {
    const set = { ...(wakes ? woken : {}), updatedAt: now };
    uow.update("workflow_task", task.id, (update) => update.set(set).check());
  }
  uow.update("workflow_instance", row.id, (update) =>
    update.set({ pauseRequested: record.pauseRequested }).check(),
  );
  uow.create("workflow_event", {
    id: host.context.host.newId(),
    workflowName,
    instanceId,
    runNumber,
    ...event,
    ...host.context.telemetry?.stamp(),
    createdAt: now,
  });
  if (wakes) fileHook(host, uow, { workflowName, instanceId, reason: "event" });
}

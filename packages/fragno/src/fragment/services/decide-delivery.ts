/** Decides what happens to an event that is sent: stored, a repeat, or refused; and whether it makes the run due. */
import {
  asksFor,
  callbackLate,
  type CallbackTarget,
  callbackUsed,
  type Conditions,
  decideCallback,
  eventIdConflict,
  eventLimit,
  hasLeft,
  type InstanceRecord,
  type InstanceRef,
  isTerminal,
  type JsonText,
  type Limits,
  mismatchOf,
  terminal,
  toRefusal,
} from "@escapement/engine/internal";
import { readEvent, readInstance, readStep } from "../rows.ts";
import { type FoundInstance, requireInstance } from "./find-instance.ts";
import type { Found } from "./operation.ts";

/** An event in its stored form. */
export interface NewEvent {
  readonly type: string;
  readonly payload: JsonText | null;
  readonly eventId: string | null;
  readonly sizeBytes: number;
  /** What the instance must meet. @default anything */
  readonly demand?: Conditions;
}

/** A new event, and the one wait that it is for; null: any wait for its type. */
export interface SentEvent extends InstanceRef {
  readonly event: NewEvent;
  readonly callback: CallbackTarget | null;
}

/** What happens to an event. */
export interface Delivery extends FoundInstance {
  /** The run has the event already, so nothing is written. */
  readonly isRepeat: boolean;
  /** An open wait asks for the event, so the run becomes due. */
  readonly wakes: boolean;
}

/** @throws {WorkflowError} CALLBACK_USED, CALLBACK_LATE */
function assertTakes(
  [instances = [], , , repeats = [], ended = [], scopes = []]: Found,
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

function assertMet(record: InstanceRecord, { demand }: Pick<NewEvent, "demand">): void {
  const kind = demand === undefined ? null : mismatchOf(record, demand);
  if (kind !== null) throw toRefusal({ kind, instance: record }, record);
}

/**
 * @throws {WorkflowError} INSTANCE_NOT_FOUND, INSTANCE_TERMINAL, EVENT_ID_CONFLICT, EVENT_LIMIT, RUN_NUMBER_MISMATCH,
 *   STATUS_MISMATCH; for callbacks CALLBACK_USED,
 *   CALLBACK_LATE, EVENT_LIMIT
 */
export function decideDelivery(
  found: Found,
  { event: sent, callback, ...ref }: SentEvent,
  limits: Limits,
): Delivery {
  if (callback !== null) assertTakes(found, callback);
  const event = { ...ref, ...sent };
  const [instances, waits = [], held = [], repeats = []] = found;
  const instance = requireInstance(instances, event);
  const { record } = instance;
  const [earlier] = repeats;
  if (earlier !== undefined) {
    const { type, payload } = readEvent(earlier);
    if (type !== event.type || payload !== event.payload)
      throw eventIdConflict(event, event.eventId);
    return { ...instance, wakes: false, isRepeat: true };
  }
  assertMet(record, event);
  if (isTerminal(record.status)) throw terminal(record);
  const heldBytes = held.reduce((sum, one) => sum + Number(one["sizeBytes"] ?? 0), 0);
  const isFull = held.length >= limits.maxUndeliveredEvents;
  if (isFull || heldBytes + event.sizeBytes > limits.maxUndeliveredEventBytes)
    throw eventLimit(event, limits);
  const isAwaited = waits.some(
    (wait) =>
      wait["runNumber"] === record.runNumber && asksFor(readStep(wait).waitEventType, event.type),
  );
  return { ...instance, wakes: record.status === "waiting" && isAwaited, isRepeat: false };
}

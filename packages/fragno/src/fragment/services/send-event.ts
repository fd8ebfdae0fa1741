/** Sending an event in anybody's transaction, with the meaning of the store's `sendEvent`. */
import type { TxResult } from "@fragno-dev/db";
import {
  type CallbackRef,
  encodeCallbackPayload,
  encodePayload,
  type JsonText,
  parseEvent,
  payloadOf,
  payloadSchema,
  type SendEventInput,
  toCallbackEvent,
  toInstanceView,
  utf8Size,
  validateNow,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { parseRef } from "./find-instance.ts";
import { fileHook, type ServiceScope, toServiceCall, wake, type WriteUow } from "./operation.ts";
import { type NewEvent, type SentEvent, type Delivery, decideDelivery } from "./decide-delivery.ts";
import { findDelivery, findTarget } from "./find-delivery.ts";

export function sendEvent(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  input: SendEventInput,
): TxResult<InstanceStatus> {
  const { host } = scope;
  const parsed = parseRef(host, workflowName, instanceId);
  const event = toEvent(host, parsed.workflowName, input);
  return deliver(scope, { ...parsed, event, callback: null });
}

/** Gives a callback's payload to its wait. @param ref what a token that was verified is for */
export function completeCallback(
  scope: ServiceScope,
  { workflowName, instanceId, runNumber, stepKey }: CallbackRef,
  given?: unknown,
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

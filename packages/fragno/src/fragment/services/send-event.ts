/** Sends an event in any transaction, like the store's `sendEvent`. */
import type { TxResult } from "@fragno-dev/db";
import {
  type CallbackRef,
  encodeCallbackPayload,
  encodePayload,
  EVENT,
  findWoken,
  type JsonText,
  parseEvent,
  payloadOf,
  payloadSchema,
  query,
  type SendEventInput,
  toCallbackEvent,
  toCallbackStatements,
  toInsertedEvent,
  toInstanceView,
  toLocking,
  utf8Size,
  validateNow,
  wakeTask,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { parseRef } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { type NewEvent, type SentEvent, type Delivery, decideDelivery } from "./decide-delivery.ts";
import { findDelivery, findTarget } from "./find-delivery.ts";
import { writeOwnStatements } from "./own-statements.ts";

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

/** Passes a callback's payload to its wait. @param ref from a verified token */
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
    write: (uow, { isRepeat, wakes }) => {
      if (!isRepeat) writeEvent(host, uow, { ...sent, wakes });
    },
    dues: ({ wakes }) => (wakes ? [{ ...ref, reason: "event", start: null }] : []),
    answer: ({ record }) => toInstanceView(record).details,
  });
}

const sizeOf = (payload: JsonText | null): number => (payload === null ? 0 : utf8Size(payload));

function toEvent(host: FragmentHost, workflowName: string, input: SendEventInput): NewEvent {
  const { limits } = host.context;
  const { type, eventId, ...demand } = parseEvent(input, limits);
  const workflow = host.find(workflowName);
  const schema = payloadSchema(workflow, type);
  const parsed = validateNow(schema, input.payload, payloadOf(workflow, type));
  const payload = encodePayload(limits, { type, payload: parsed });
  return { type, payload, eventId, sizeBytes: sizeOf(payload), ...demand };
}

/**
 * Queues the store's statements. The transaction reads again if the event is not stored, or if it wakes a run that began to wait
 * after the read: a hook is filed for each run that becomes due.
 */
function writeEvent(
  host: FragmentHost,
  uow: WriteUow,
  { event, callback, wakes, ...ref }: SentEvent & Pick<Delivery, "wakes">,
): void {
  const { dialect, context } = host;
  const { type, payload, eventId, sizeBytes } = event;
  const { maxUndeliveredEvents: maxCount, maxUndeliveredEventBytes: maxBytes } = context.limits;
  const { traceContext = null } = context.telemetry?.stamp() ?? {};
  const instance = [ref.workflowName, ref.instanceId] as const;
  const eventRowId = context.host.newId();
  const values = [eventRowId, type, payload, eventId, sizeBytes, maxCount, maxBytes] as const;
  const given = [...instance, ...values, traceContext] as const;
  const inserted = toInsertedEvent(dialect, given, event.demand);
  const due = [...instance, type, eventRowId] as const;
  const isStored = `exists (select 1 from ${EVENT} where "id" = ${dialect.param(wakes ? 1 : 4)})`;
  const request = { ...ref, eventRowId, ...event, cap: { maxCount, maxBytes }, claim: null };
  writeOwnStatements(host, uow, {
    batch: {
      ...toLocking(dialect, ref),
      inserted:
        callback === null
          ? inserted
          : toCallbackStatements(dialect, { ...request, callback }, inserted.values).inserted,
      woken: query(dialect, wakeTask, ...due),
    },
    isDone: wakes ? isStored : `${isStored} and not exists (${findWoken(dialect)})`,
    parameters: wakes ? [eventRowId] : due,
  });
}

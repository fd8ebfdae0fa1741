/** Sends an event to an instance. */
import { validate, type ValidateOptions } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { assertDeclared } from "../authoring/declared.ts";
import { encodeJson } from "../core/codec.ts";
import { WorkflowError } from "../core/errors.ts";
import type { Limits } from "../core/limits.ts";
import { parseEventType } from "../core/event-type.ts";
import { parseIdempotencyKey, parseInstanceId } from "../core/request-ids.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { JsonText } from "../core/model/records.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { SendEventInput } from "../ports/event-inputs.ts";
import type { CallTicket } from "../ports/claim.ts";
import type {
  EventAccepted,
  EventCap,
  SendEventRequest,
  SendEventResult,
} from "../ports/send-event.ts";
import type { HostContext } from "./context.ts";
import { parsePreconditions, PRECONDITIONS } from "./manage.ts";
import { eventIdConflict, eventLimit, toRefusal } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

/** How many events that no wait has taken a run may hold. */
export const eventCap = (limits: Limits): EventCap => ({
  maxCount: limits.maxUndeliveredEvents,
  maxBytes: limits.maxUndeliveredEventBytes,
});

const EVENT_OPTIONS: Readonly<Record<keyof SendEventInput, 1>> = {
  type: 1,
  payload: 1,
  eventId: 1,
  ...PRECONDITIONS,
};

/** Parses an event's type, id and preconditions. @throws {WorkflowError} UNKNOWN_OPTION, INVALID_EVENT_TYPE, INVALID_IDEMPOTENCY_KEY, INVALID_REQUEST */
export function parseEvent(
  event: SendEventInput,
  limits: Limits,
): Pick<SendEventRequest, "type" | "eventId" | "demand"> {
  assertKnownOptions("sendEvent", event, EVENT_OPTIONS);
  const type = parseEventType(event.type, limits);
  const eventId = event.eventId === undefined ? null : parseIdempotencyKey(event.eventId);
  const demand = parsePreconditions(event);
  const isAny = demand.ifRunNumber === null && demand.ifStatus === null;
  return { type, eventId, ...(isAny ? {} : { demand }) };
}

/** @throws as `EngineService.sendEvent` */
export async function sendEvent(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, event }: { readonly id: string; readonly event: SendEventInput },
): Promise<InstanceView> {
  const instanceId = parseInstanceId(id, context.limits);
  const { type, eventId, ...demand } = parseEvent(event, context.limits);
  const schema = payloadSchema(workflow, type);
  const parsed = await validate(schema, event.payload, payloadOf(workflow, type));
  const payload = encodePayload(context.limits, { type, payload: parsed });
  const ref = { workflowName: workflow.name, instanceId };
  const eventRowId = context.host.newId();
  const result = await claimingHere(context, (claim) =>
    context.store.sendEvent({
      ...ref,
      eventRowId,
      type,
      payload,
      eventId,
      ...demand,
      cap: eventCap(context.limits),
      claim,
      ...context.telemetry?.stamp(),
    }),
  );
  if (result.kind !== "applied")
    throw toEventRefusal(result, { ref, eventId, limits: context.limits });
  if (result.woke && result.run === null) context.wake({ ...ref, reason: "event" });
  return toInstanceView(result.instance);
}

/** Gives the call a slot of this process, if one is free, and starts the run that the call claims. */
export async function claimingHere(
  { reserveSlot }: HostContext,
  send: (claim: CallTicket | null) => Promise<SendEventResult>,
): Promise<SendEventResult> {
  let slot = reserveSlot("event");
  try {
    const result = await send(slot?.ticket ?? null);
    if (result.kind !== "applied" || result.run === null) return result;
    const { run, instance, next } = result;
    const taken = slot;
    slot = null;
    taken?.start(run, next ?? { now: instance.updatedAt, nextDueAt: null, nextWakeAt: null });
    return result;
  } finally {
    slot?.release();
  }
}

/** The schema that the workflow declares for events of the type; null: it declares none. @throws {WorkflowError} EVENT_UNDECLARED */
export function payloadSchema(
  workflow: RegisteredWorkflow,
  type: string,
): RegisteredWorkflow["schema"] {
  assertDeclared(workflow, type);
  return Object.hasOwn(workflow.events, type) ? (workflow.events[type] ?? null) : null;
}

/** The error for a payload that does not match its schema. */
export const payloadOf = ({ name }: RegisteredWorkflow, type: string): ValidateOptions => ({
  code: "INVALID_EVENT_PAYLOAD",
  what: `the payload of event "${type}" for workflow "${name}"`,
});

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export function encodePayload(
  limits: Limits,
  { type, payload }: { readonly type: string; readonly payload: unknown },
): JsonText | null {
  return encodeJson(payload, {
    maxBytes: limits.maxEventPayloadBytes,
    what: `the payload of event "${type}"`,
  });
}

function toEventRefusal(
  result: Exclude<SendEventResult, EventAccepted>,
  sent: { readonly ref: InstanceRef; readonly eventId: string | null; readonly limits: Limits },
): WorkflowError {
  switch (result.kind) {
    case "eventIdConflict":
      return eventIdConflict(sent.ref, sent.eventId);
    case "eventLimit":
      return eventLimit(sent.ref, sent.limits);
    case "callbackUsed":
    case "callbackLate":
      return new WorkflowError(
        "INVARIANT_BROKEN",
        "an event that is not a callback's was taken for one",
      );
    case "notFound":
    case "terminal":
    case "runNumberMismatch":
    case "statusMismatch":
      return toRefusal(result, sent.ref);
  }
}

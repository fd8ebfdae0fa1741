/** Status, lifecycle and events of one instance. */
import { validate, type ValidateOptions } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { encodeJson } from "../core/codec.ts";
import type { LifecycleCommand } from "../core/decide/lifecycle.ts";
import { WorkflowError } from "../core/errors.ts";
import { type Limits, parseEventType, parseInstanceId } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord, JsonText } from "../core/model/records.ts";
import type { InstanceView } from "../ports/service.ts";
import type { ClaimTicket, ControlResult, SendEventResult } from "../ports/store.ts";
import { unboundedBudget } from "../runner/budget.ts";
import type { HostContext } from "./context.ts";
import { toInstanceView } from "./views.ts";

/** @throws {WorkflowError} INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND */
export async function loadInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  id: string,
): Promise<InstanceRecord> {
  const instanceId = parseInstanceId(id, context.limits);
  const record = await context.store.loadInstance(workflow.name, instanceId);
  if (record === null) throw notFound({ workflowName: workflow.name, instanceId });
  return record;
}

/** @throws {WorkflowError} INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL */
export async function controlInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, command }: { readonly id: string; readonly command: LifecycleCommand },
): Promise<InstanceView> {
  const instanceId = parseInstanceId(id, context.limits);
  const taskRowId = context.host.newId();
  const result = await context.store.control({
    workflowName: workflow.name,
    instanceId,
    command,
    taskRowId,
  });
  const instance = toApplied(result, { workflowName: workflow.name, instanceId });
  // The table of commands would be a hundredth of what a function that ticks loads.
  const reason = command === "restart" ? "create" : "resume";
  if (result.kind === "applied" && result.woke)
    context.wake({ workflowName: workflow.name, instanceId, reason });
  return toInstanceView(instance);
}

/** @throws as `EngineService.sendEvent` */
export async function sendEvent(
  context: HostContext,
  workflow: RegisteredWorkflow,
  {
    id,
    event,
  }: { readonly id: string; readonly event: { readonly type: string; readonly payload?: unknown } },
): Promise<InstanceView> {
  const instanceId = parseInstanceId(id, context.limits);
  const type = parseEventType(event.type, context.limits);
  await validate(payloadSchema(context, workflow, type), event.payload, payloadOf(workflow, type));
  const payload = encodePayload(context.limits, { type, payload: event.payload });
  const ref = { workflowName: workflow.name, instanceId };
  const eventRowId = context.host.newId();
  const result = await claimingHere(context, (claim) =>
    context.store.sendEvent({ ...ref, eventRowId, type, payload, claim }),
  );
  const instance = toApplied(result, ref);
  if (result.kind === "applied" && result.woke && result.run === null)
    context.wake({ ...ref, reason: "event" });
  return toInstanceView(instance);
}

/** Gives the call a slot of this process, if there is one, and starts the run that it claimed. */
async function claimingHere(
  { host, takeSlot }: HostContext,
  send: (claim: ClaimTicket | null) => Promise<SendEventResult>,
): Promise<SendEventResult> {
  let slot = takeSlot();
  try {
    const result = await send(slot?.ticket ?? null);
    if (result.kind !== "applied" || result.run === null) return result;
    const { run, instance } = result;
    const taken = slot;
    slot = null;
    taken?.start(run, { now: instance.updatedAt, budget: unboundedBudget(host) });
    return result;
  } finally {
    slot?.giveBack();
  }
}

/** The schema that the workflow declares for events of the type; null: none. A stray type is told to the log. */
export function payloadSchema(
  { logger }: Pick<HostContext, "logger">,
  workflow: RegisteredWorkflow,
  type: string,
): RegisteredWorkflow["schema"] {
  const isDeclared = Object.hasOwn(workflow.events, type);
  if (!isDeclared && Object.keys(workflow.events).length > 0)
    logger.log("warn", "event.undeclared", { workflowName: workflow.name, type });
  return isDeclared ? (workflow.events[type] ?? null) : null;
}

/** What is said of a payload that does not fit. */
export const payloadOf = ({ name }: RegisteredWorkflow, type: string): ValidateOptions => ({
  code: "INVALID_EVENT_PAYLOAD",
  what: `payload of event "${type}" for workflow "${name}"`,
});

/** @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export function encodePayload(
  limits: Limits,
  { type, payload }: { readonly type: string; readonly payload: unknown },
): JsonText | null {
  return encodeJson(payload, {
    maxBytes: limits.maxEventPayloadBytes,
    what: `payload of event "${type}"`,
  });
}

function toApplied(result: ControlResult | SendEventResult, ref: InstanceRef): InstanceRecord {
  if (result.kind === "applied") return result.instance;
  throw result.kind === "notFound" ? notFound(ref) : terminal(result.instance);
}

/** The error of an instance that ended. */
export const terminal = ({ workflowName, instanceId, status }: InstanceRecord): WorkflowError =>
  new WorkflowError(
    "INSTANCE_TERMINAL",
    `instance "${instanceId}" is ${status}; restart it to run it again`,
    { workflowName, instanceId, status },
  );

/** The error of an instance that does not exist. */
export const notFound = ({ workflowName, instanceId }: InstanceRef): WorkflowError =>
  new WorkflowError(
    "INSTANCE_NOT_FOUND",
    `workflow "${workflowName}" has no instance "${instanceId}"`,
    { workflowName, instanceId },
  );

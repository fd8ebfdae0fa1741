/** Status, lifecycle and events of one instance. */
import { validate } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { encodeJson } from "../core/codec.ts";
import { LIFECYCLE, type LifecycleCommand } from "../core/decide/lifecycle.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType, parseInstanceId } from "../core/limits.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { InstanceView } from "../ports/service.ts";
import type { ControlResult } from "../ports/store.ts";
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
  if (record === null) throw notFound(workflow.name, instanceId);
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
  const reason = LIFECYCLE[command].startsNewRun ? "create" : "resume";
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
  await checkPayload(context, workflow, { type, payload: event.payload });
  const what = `payload of event "${type}"`;
  const payload = encodeJson(event.payload, {
    maxBytes: context.limits.maxEventPayloadBytes,
    what,
  });
  const ref = { workflowName: workflow.name, instanceId };
  const result = await context.store.sendEvent({
    ...ref,
    eventRowId: context.host.newId(),
    type,
    payload,
  });
  const instance = toApplied(result, ref);
  if (result.kind === "applied" && result.woke) context.wake({ ...ref, reason: "event" });
  return toInstanceView(instance);
}

async function checkPayload(
  context: HostContext,
  workflow: RegisteredWorkflow,
  event: { readonly type: string; readonly payload: unknown },
): Promise<void> {
  const isDeclared = Object.hasOwn(workflow.events, event.type);
  const schema = isDeclared ? (workflow.events[event.type] ?? null) : null;
  const fields = { workflowName: workflow.name, type: event.type };
  if (!isDeclared && Object.keys(workflow.events).length > 0)
    context.logger.log("warn", "event.undeclared", fields);
  const what = `payload of event "${event.type}" for workflow "${workflow.name}"`;
  await validate(schema, event.payload, { code: "INVALID_EVENT_PAYLOAD", what });
}

interface InstanceRef {
  readonly workflowName: string;
  readonly instanceId: string;
}

function toApplied(result: ControlResult, ref: InstanceRef): InstanceRecord {
  if (result.kind === "applied") return result.instance;
  if (result.kind === "notFound") throw notFound(ref.workflowName, ref.instanceId);
  const { status } = result.instance;
  throw new WorkflowError(
    "INSTANCE_TERMINAL",
    `instance "${ref.instanceId}" is ${status}; restart it to run it again`,
    { ...ref, status },
  );
}

const notFound = (workflowName: string, instanceId: string): WorkflowError =>
  new WorkflowError(
    "INSTANCE_NOT_FOUND",
    `workflow "${workflowName}" has no instance "${instanceId}"`,
    { workflowName, instanceId },
  );

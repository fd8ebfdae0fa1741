/** Status, lifecycle and events of one instance. */
import { validate } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { encodeJson } from "../core/codec.ts";
import { LIFECYCLE, type LifecycleCommand } from "../core/decide/lifecycle.ts";
import { WorkflowError } from "../core/errors.ts";
import { parseEventType, parseInstanceId } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord } from "../core/model/records.ts";
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
  { pool, host, mayRunHere }: HostContext,
  send: (claim: ClaimTicket | null) => Promise<SendEventResult>,
): Promise<SendEventResult> {
  const claim = mayRunHere() ? pool.reserve() : null;
  let isUsed = false;
  try {
    const result = await send(claim);
    if (result.kind !== "applied" || result.run === null) return result;
    isUsed = true;
    const { run, instance } = result;
    pool.startReserved(run, { now: instance.updatedAt, budget: unboundedBudget(host) });
    return result;
  } finally {
    if (claim !== null && !isUsed) pool.giveBack();
  }
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

function toApplied(result: ControlResult | SendEventResult, ref: InstanceRef): InstanceRecord {
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

/** @module Describes an instance in full. Loaded with the first call. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { decodeJson } from "../core/codec.ts";
import { unlessNever } from "../core/decide/park.ts";
import { toStartsAt } from "../core/delayed-start.ts";
import type { ExplainFacts, OpenStep } from "../core/explain/facts.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import { toWaitsFor } from "../core/waits-for.ts";
import type { CurrentStepView, InstanceDescription } from "../ports/describe.ts";
import type { HostContext } from "./context.ts";
import { notFound } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

/** @throws as `EngineService.describeInstance` */
export async function describeInstance(
  { store, limits }: Pick<HostContext, "store" | "limits">,
  { name: workflowName }: RegisteredWorkflow,
  id: string,
): Promise<InstanceDescription> {
  const instanceId = parseInstanceId(id, limits);
  // One after the other, because a caller's transaction has only one connection.
  const facts = await store.loadFacts({ workflowName, instanceId });
  const record = facts && (await store.loadInstance(workflowName, instanceId));
  if (facts === null || record === null) throw notFound({ workflowName, instanceId });
  return toDescription(record, facts);
}

function toDescription(record: InstanceRecord, facts: ExplainFacts): InstanceDescription {
  const { workflowName, createdAt, updatedAt, completedAt } = record;
  const { now, task, openSteps, hasMoreSteps } = facts;
  const isHeld = task?.status === "processing";
  return {
    ...toInstanceView(record),
    workflowName,
    ...(record.params === null ? {} : { params: decodeJson(record.params) }),
    now,
    createdAt,
    updatedAt,
    startedAt: toStartsAt(record) === null ? record.startedAt : null,
    completedAt,
    nextWakeAt: task === null || isHeld ? null : unlessNever(task.runAt),
    heldUntil: isHeld ? task.lockedUntil : null,
    currentSteps: openSteps.map(toCurrentStep),
    hasMoreSteps,
  };
}

const toCurrentStep = (step: OpenStep): CurrentStepView => ({
  stepKey: step.stepKey,
  type: step.type,
  status: step.status,
  attempts: step.attempts,
  maxAttempts: step.maxAttempts,
  waitsFor: toWaitsFor(step),
  attemptStartedAt: step.attemptStartedAt,
  runner: step.runner,
  error: step.error,
});

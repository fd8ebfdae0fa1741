/** Changes deadline, tags and memo of an instance. */
import { parseRunOptions, RUN_OPTIONS } from "../authoring/run-options.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { toEndRequestAt } from "../core/deadline.ts";
import { invalidField } from "../core/invalid-field.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { toControlKey } from "../core/decide/demand.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs, InstanceRecord } from "../core/model/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { UpdateOptions } from "../ports/command-options.ts";
import type { UpdateRequest } from "../ports/update.ts";
import type { HostContext } from "./context.ts";
import { CONTROL_OPTIONS, parseControlOptions } from "./manage.ts";
import { toRefusal } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

const OPTIONS: Readonly<Record<keyof UpdateOptions, 1>> = {
  ...RUN_OPTIONS,
  ...CONTROL_OPTIONS,
};

/** @throws as `EngineService.update` */
export async function updateInstance(
  context: HostContext,
  { name }: RegisteredWorkflow,
  id: string,
  options: UpdateOptions,
): Promise<InstanceView> {
  const { limits, host, store } = context;
  const request = parseUpdate({ workflowName: name, instanceId: id }, options, {
    limits,
    now: host.now(),
  });
  const result = await store.update(request);
  if (result.kind !== "applied") throw toRefusal(result, request);
  if (result.woke) wakeAtDeadline(context, result.instance);
  return toInstanceView(result.instance);
}

/** @throws {WorkflowError} UNKNOWN_OPTION, INVALID_INSTANCE_ID, INVALID_REQUEST, INVALID_DURATION, INVALID_IDEMPOTENCY_KEY, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE */
export function parseUpdate(
  { workflowName, instanceId }: InstanceRef,
  options: UpdateOptions,
  { limits, now }: { readonly limits: Limits; readonly now: EpochMs },
): UpdateRequest {
  assertKnownOptions("update", options, OPTIONS);
  const facts = parseRunOptions(options, limits, now);
  if (facts === null) throw invalidField("update", "a deadline, tags or a memo");
  const { controlKey, ...conditions } = parseControlOptions("update", options);
  return {
    workflowName,
    instanceId: parseInstanceId(instanceId, limits),
    ...conditions,
    controlKey: toControlKey(controlKey, [facts.deadline, facts.tags, facts.memo]),
    facts,
  };
}

/** Wakes for an instance that is now due earlier. */
function wakeAtDeadline(context: HostContext, instance: InstanceRecord): void {
  const { workflowName, instanceId, deadlineAt, updatedAt } = instance;
  const hint = { workflowName, instanceId, reason: "resume" } as const;
  const isDue = deadlineAt === null || toEndRequestAt(instance, updatedAt) !== null;
  if (isDue) context.wake(hint);
  else context.wake({ ...hint, dueAt: deadlineAt }, deadlineAt - updatedAt);
}

/** Starts over under an id, whether an instance has it or not. */
import { RUN_OPTIONS } from "../authoring/run-options.ts";
import { validate } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { paramsOf } from "../authoring/declared.ts";
import { assertKnownInput } from "../core/known-inputs.ts";
import { toControlKey } from "../core/decide/demand.ts";
import type { Limits } from "../core/limits.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { RestartOrCreateInput, RestartOrCreateOutput } from "../ports/command-options.ts";
import type { RestartOrCreateRequest } from "../ports/control.ts";
import type { HostContext } from "./context.ts";
import { describeInstance, notifyCreated } from "./create.ts";
import { assertSameCreate, identifyCreate } from "./idempotency.ts";
import { CONTROL_OPTIONS, parseControlOptions, wakeFor } from "./manage.ts";
import { commandKeyConflict } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

const OPTIONS: Readonly<Record<keyof RestartOrCreateInput, 1>> = {
  id: 1,
  params: 1,
  ...CONTROL_OPTIONS,
  ...RUN_OPTIONS,
};

/** @throws as `EngineService.restartOrCreate` */
export async function restartOrCreate(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: RestartOrCreateInput,
): Promise<RestartOrCreateOutput> {
  const request = await toRequest(context, workflow, input);
  const { kind, instance, woke } = await context.store.restartOrCreate(request);
  if (kind === "keyConflict") throw commandKeyConflict(instance);
  // Later runs may have other params.
  if (input.idempotencyKey !== undefined && kind === "created" && instance.runNumber === 1)
    assertSameCreate(instance, request.create);
  if (kind === "created") notifyCreated(context, instance);
  if (woke) wakeFor(context, instance, "create");
  return { ...toInstanceView(instance), outcome: kind };
}

/** Parses the options of a call, except the params. @throws {WorkflowError} UNKNOWN_OPTION, INVALID_INSTANCE_ID, INVALID_REQUEST, INVALID_IDEMPOTENCY_KEY */
export function parseRestartOrCreate(
  input: RestartOrCreateInput,
  limits: Limits,
): Pick<RestartOrCreateRequest, "ifRunNumber" | "controlKey" | "ifStatus"> & {
  readonly id: string;
} {
  assertKnownInput("restartOrCreate", input, OPTIONS);
  const id = parseInstanceId(input.id, limits);
  return { id, ...parseControlOptions("restartOrCreate", input) };
}

/** The control key with a digest of what the instance is given. */
export const keyOfInputs = (
  { controlKey }: Pick<RestartOrCreateRequest, "controlKey">,
  { params, deadline, tags, memo }: RestartOrCreateRequest["create"],
): string | null => toControlKey(controlKey, [params, deadline, tags, memo]);

async function toRequest(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: RestartOrCreateInput,
): Promise<RestartOrCreateRequest> {
  const {
    idempotencyKey,
    id: _id,
    params: _params,
    ifRunNumber: _run,
    ifStatus: _status,
    ...runOptions
  } = input;
  const { id, ...conditions } = parseRestartOrCreate(input, context.limits);
  const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
  const identified = await identifyCreate(workflow.name, { id, ...keyed });
  const params = await validate(workflow.schema, input.params, paramsOf(workflow));
  const create = describeInstance(context, workflow, { ...runOptions, ...identified, params });
  return {
    ...conditions,
    controlKey: keyOfInputs(conditions, create),
    create,
    taskRowId: context.host.newId(),
  };
}

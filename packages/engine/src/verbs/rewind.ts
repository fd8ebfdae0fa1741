/** Rewinds a run to a step, and forks instances that begin with a copy of another one's steps. */
import { validate } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { paramsOf } from "../authoring/declared.ts";
import type { WorkflowError } from "../core/errors.ts";
import { invalidField } from "../core/invalid-field.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { toControlKey } from "../core/decide/demand.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import { toStorableText } from "../core/storable-text.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { ForkOptions, RewindOptions } from "../ports/command-options.ts";
import type {
  ForkRequest,
  ForkResult,
  RewindDemand,
  RewindRequest,
  RewindResult,
} from "../ports/rewind.ts";
import type { HostContext } from "./context.ts";
import { describeInstance, tellCreated } from "./create.ts";
import { parseStatuses } from "./fields.ts";
import { identifyCreate } from "./idempotency.ts";
import { parseControlOptions, wakeFor } from "./manage.ts";
import {
  alreadyExists,
  commandKeyConflict,
  keyConflict,
  notFound,
  runNumberMismatch,
  runUndone,
  statusMismatch,
  stepNotFound,
  stepPassed,
} from "./refusals.ts";
import { toInstanceView } from "./views.ts";

const REWIND_OPTIONS: Readonly<Record<keyof RewindOptions, 1>> = {
  ifRunNumber: 1,
  ifStatus: 1,
  idempotencyKey: 1,
};

const FORK_OPTIONS: Readonly<Record<keyof ForkOptions, 1>> = {
  ...REWIND_OPTIONS,
  id: 1,
  params: 1,
};

/** The step of an instance, and conditions on the instance. */
export interface RewindInput extends RewindOptions {
  readonly id: string;
  readonly stepKey: string;
}

/** The same, with the options of the new instance. */
export interface ForkInput {
  readonly id: string;
  readonly stepKey: string;
  readonly options: ForkOptions;
}

/** @throws as `EngineService.rewind` */
export async function rewindInstance(
  context: HostContext,
  { name }: RegisteredWorkflow,
  input: RewindInput,
): Promise<InstanceView> {
  const demand = parseRewind(context.limits, name, input);
  const { newId } = context.host;
  const result = await context.store.rewind({ ...demand, taskRowId: newId(), eventRowId: newId() });
  if (result.kind !== "applied") throw toRewindError(result, demand);
  if (result.woke) wakeFor(context, result.instance, "resume");
  return toInstanceView(result.instance);
}

/** @throws {WorkflowError} UNKNOWN_OPTION, INVALID_INSTANCE_ID, INVALID_REQUEST, INVALID_IDEMPOTENCY_KEY */
export function parseRewind(
  limits: Limits,
  workflowName: string,
  { id, stepKey, ...options }: RewindInput,
): Omit<RewindRequest, "taskRowId" | "eventRowId"> {
  assertKnownOptions("rewind", options, REWIND_OPTIONS);
  const { ifRunNumber, controlKey } = parseControlOptions("rewind", options);
  return {
    workflowName,
    instanceId: parseInstanceId(id, limits),
    stepKey: parseStepKey(stepKey),
    ifStatus: parseStatuses(options.ifStatus),
    ifRunNumber,
    controlKey: toControlKey(controlKey, [stepKey]),
  };
}

/** @throws as `EngineService.fork` */
export async function forkInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: ForkInput,
): Promise<InstanceView> {
  const request = await toForkRequest(context, workflow, input);
  const result = await context.store.fork(request);
  const { instance } = assertForked(result, request);
  tellCreated(context, instance);
  wakeFor(context, instance, "create");
  return toInstanceView(instance);
}

async function toForkRequest(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { options, ...source }: ForkInput,
): Promise<ForkRequest> {
  const identified = await identifyFork(workflow.name, options);
  const params =
    options.params === undefined
      ? undefined
      : await validate(workflow.schema, options.params, paramsOf(workflow));
  return describeFork(context, workflow, { ...source, options: { ...identified, params } });
}

/** A fork that names the row it writes, so that a repeat finds the row. */
export interface IdentifiedFork extends Omit<ForkOptions, "idempotencyKey"> {
  /** As of `IdentifiedCreate`. */
  readonly instanceRowId?: string;
}

/** Replaces the key of a fork by the ids that are made from it. @throws {WorkflowError} INVALID_IDEMPOTENCY_KEY, UNKNOWN_OPTION */
export async function identifyFork(
  workflowName: string,
  options: ForkOptions,
): Promise<IdentifiedFork> {
  assertKnownOptions("fork", options, FORK_OPTIONS);
  const { id, idempotencyKey, ...others } = options;
  const identified = await identifyCreate(workflowName, {
    ...(id === undefined ? {} : { id }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  return { ...others, ...identified };
}

const IDENTIFIED_OPTIONS: Readonly<Record<keyof IdentifiedFork, 1>> = {
  id: 1,
  params: 1,
  ifRunNumber: 1,
  ifStatus: 1,
  instanceRowId: 1,
};

/** @param input.options with params that their schema has parsed @throws {WorkflowError} as `EngineService.fork`, about the input */
export function describeFork(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: Pick<ForkInput, "id" | "stepKey"> & { readonly options: IdentifiedFork },
): ForkRequest {
  assertKnownOptions("fork", input.options, IDENTIFIED_OPTIONS);
  const { ifRunNumber, ifStatus, params, ...identified } = input.options;
  const conditions = ifRunNumber === undefined ? {} : { ifRunNumber };
  return {
    workflowName: workflow.name,
    instanceId: parseInstanceId(input.id, context.limits),
    stepKey: parseStepKey(input.stepKey),
    ifStatus: parseStatuses(ifStatus),
    ifRunNumber: parseControlOptions("fork", conditions).ifRunNumber,
    create: describeInstance(context, workflow, { ...identified, params }),
    keepsParams: params === undefined,
    stepRowIds: context.host.newId().slice(0, STEP_ROW_IDS_LENGTH),
  };
}

const STEP_ROW_IDS_LENGTH = 22;

/** @throws {WorkflowError} the reason why there is no fork, or IDEMPOTENCY_KEY_CONFLICT: another create used the key */
export function assertForked(
  result: ForkResult,
  request: Pick<ForkRequest, "create" | "keepsParams" | keyof RewindDemand>,
): { readonly instance: InstanceRecord } {
  if (result.kind === "exists") throw alreadyExists(result.instance);
  if (result.kind !== "created") throw toRewindError(result, request);
  const { instance } = result;
  const { instanceId, stepKey, create, keepsParams } = request;
  const { forkedFrom } = instance;
  const isSame = forkedFrom?.instanceId === instanceId && forkedFrom.stepKey === stepKey;
  if (!isSame || (!keepsParams && instance.params !== create.params)) throw keyConflict(instance);
  return { instance };
}

/** The error of a refused call. */
export function toRewindError(
  result: Exclude<RewindResult, { readonly kind: "applied" }>,
  { stepKey, ...ref }: InstanceRef & Pick<RewindDemand, "stepKey">,
): WorkflowError {
  switch (result.kind) {
    case "notFound":
      return notFound(ref);
    case "runNumberMismatch":
      return runNumberMismatch(result.instance);
    case "statusMismatch":
      return statusMismatch(result.instance);
    case "keyConflict":
      return commandKeyConflict(result.instance);
    case "stepNotFound":
      return stepNotFound(result.instance, stepKey);
    case "stepPassed":
      return stepPassed(result.instance, stepKey);
    case "runUndone":
      return runUndone(result.instance);
  }
}

/** The longest key that is looked for. Keys of steps are much shorter. */
const MAX_STEP_KEY_LENGTH = 8192;

/** @throws {WorkflowError} INVALID_REQUEST */
function parseStepKey(stepKey: unknown): string {
  const isKey =
    typeof stepKey === "string" &&
    stepKey !== "" &&
    stepKey.length <= MAX_STEP_KEY_LENGTH &&
    toStorableText(stepKey) === stepKey;
  if (isKey) return stepKey;
  throw invalidField("step", "the key of a step, as the instance's history shows it");
}

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
import type { InstanceStatusName } from "../core/model/status.ts";
import { toStorableText } from "../core/storable-text.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type { ForkOptions, RetryOptions, RewindOptions } from "../ports/command-options.ts";
import type {
  ForkRequest,
  ForkResult,
  RewindDemand,
  RewindRequest,
  RewindResult,
} from "../ports/rewind.ts";
import type { HostContext } from "./context.ts";
import { describeInstance, notifyCreated } from "./create.ts";
import { identifyCreate } from "./idempotency.ts";
import { CONTROL_OPTIONS, parseControlOptions, parsePreconditions, wakeFor } from "./manage.ts";
import {
  alreadyExists,
  keyConflict,
  notFound,
  stepNotFound,
  stepPassed,
  toRefusal,
} from "./refusals.ts";
import { toInstanceView } from "./views.ts";

const FORK_OPTIONS: Readonly<Record<keyof ForkOptions, 1>> = {
  ...CONTROL_OPTIONS,
  id: 1,
  params: 1,
};

/** The step of an instance, and conditions on the instance. */
export interface RewindInput extends RewindOptions {
  readonly id: string;
  readonly stepKey: string;
}

/** The first step that an instance that failed runs again, and conditions on the instance. */
export interface RetryFromInput extends RetryOptions {
  readonly id: string;
  readonly from: string;
}

/** What is demanded of an instance, without the ids of the rows that the call writes. */
export type Rewinding = Omit<RewindRequest, "taskRowId" | "eventRowId">;

/** The same, with the options of the new instance. */
export interface ForkInput {
  readonly id: string;
  readonly stepKey: string;
  readonly options: ForkOptions;
}

/** @throws as `EngineService.rewind` */
export const rewindInstance = (
  context: HostContext,
  { name }: RegisteredWorkflow,
  input: RewindInput,
): Promise<InstanceView> => rewindTo(context, parseRewind(context.limits, name, input));

/** @throws as `EngineService.control` */
export const retryFrom = (
  context: HostContext,
  { name }: RegisteredWorkflow,
  input: RetryFromInput,
): Promise<InstanceView> => rewindTo(context, parseRetryFrom(context.limits, name, input));

async function rewindTo(context: HostContext, demand: Rewinding): Promise<InstanceView> {
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
): Rewinding {
  assertKnownOptions("rewind", options, CONTROL_OPTIONS);
  const { controlKey, ...conditions } = parseControlOptions("rewind", options);
  return {
    workflowName,
    instanceId: parseInstanceId(id, limits),
    stepKey: parseStepKey("step", stepKey),
    ...conditions,
    keepsKeys: false,
    controlKey: toControlKey(controlKey, [stepKey]),
  };
}

const RETRIED: readonly InstanceStatusName[] = ["errored"];

/** The same for a retry from a step. A key belongs to it or to a retry without a step, which are different commands. */
export function parseRetryFrom(
  limits: Limits,
  workflowName: string,
  { id, from, ...options }: RetryFromInput,
): Rewinding {
  assertKnownOptions("retry", options, { ...CONTROL_OPTIONS, from: 1 });
  const { ifStatus, controlKey, ...conditions } = parseControlOptions("retryFrom", options);
  return {
    workflowName,
    instanceId: parseInstanceId(id, limits),
    stepKey: parseStepKey("from", from),
    ifStatus: (ifStatus ?? RETRIED).filter((status) => RETRIED.includes(status)),
    ...conditions,
    keepsKeys: true,
    controlKey: toControlKey(controlKey, [from]),
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
  notifyCreated(context, instance);
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
  return {
    workflowName: workflow.name,
    instanceId: parseInstanceId(input.id, context.limits),
    stepKey: parseStepKey("step", input.stepKey),
    ...parsePreconditions({ ifRunNumber, ifStatus }),
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

/** A fork has keys of its own. */
type Asked = Pick<RewindDemand, "stepKey"> & Partial<Pick<RewindRequest, "keepsKeys">>;

/** The error of a refused call. */
export function toRewindError(
  result: Exclude<RewindResult, { readonly kind: "applied" }>,
  { stepKey, keepsKeys, ...ref }: InstanceRef & Asked,
): WorkflowError {
  if (result.kind === "notFound") return notFound(ref);
  const { kind, instance } = result;
  if (kind === "stepNotFound") return stepNotFound(instance, stepKey);
  if (kind === "stepPassed") return stepPassed(instance, stepKey);
  const isToRetry =
    kind === "statusMismatch" && keepsKeys === true && instance.status !== "errored";
  return toRefusal({ kind: isToRetry ? "notErrored" : kind, instance }, ref);
}

/** The longest key that is looked for. Keys of steps are much shorter. */
const MAX_STEP_KEY_LENGTH = 8192;

/** @throws {WorkflowError} INVALID_REQUEST */
function parseStepKey(field: "step" | "from", stepKey: unknown): string {
  const isKey =
    typeof stepKey === "string" &&
    stepKey !== "" &&
    stepKey.length <= MAX_STEP_KEY_LENGTH &&
    toStorableText(stepKey) === stepKey;
  if (isKey) return stepKey;
  throw invalidField(field, "the key of a step, as the instance's history shows it");
}

/** Creates instances: validates them before anything is written, and claims them at once if this process can run them. */
import { parseRunOptions } from "../authoring/run-options.ts";
import { parseStart } from "../authoring/start-time.ts";
import { validate } from "../authoring/validate.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { paramsOf } from "../authoring/declared.ts";
import { encodeJson } from "../core/codec.ts";
import { assertInvariant, WorkflowError } from "../core/errors.ts";
import { invalidField } from "../core/invalid-field.ts";
import { utf8Size } from "../core/plain-codec.ts";
import type { Limits } from "../core/limits.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { Host } from "../ports/host.ts";
import type { InstanceView } from "../ports/instance-views.ts";
import type {
  CreateBatchOptions,
  CreateBatchOutput,
  CreateInstanceInput,
} from "../ports/create-inputs.ts";
import type { CreateResult, NewInstance } from "../ports/create.ts";
import { type Shown, SMALL_PAYLOAD_BYTES } from "../ports/pages.ts";
import type { Slot } from "../process/prefetch.ts";
import { toNewRun } from "../run/new-run.ts";
import type { HostContext } from "./context.ts";
import { assertSameCreate, identifyCreate, type IdentifiedCreate } from "./idempotency.ts";
import { wakeFor } from "./manage.ts";
import { alreadyExists } from "./refusals.ts";
import { toInstanceView } from "./views.ts";

/** Creates one instance, in a trip that it may share with others. */
export type CreateOne = (instance: NewInstance) => Promise<CreateResult>;

/** @throws as `EngineService.createInstance` */
export async function createInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { input, createOne }: { readonly input: CreateInstanceInput; readonly createOne: CreateOne },
): Promise<InstanceView> {
  const instance = await toNewInstance(context, workflow, input);
  const isKeyed = input.idempotencyKey !== undefined;
  const [result] = await createAll(context, [instance], {
    isKeyed,
    create: (instances) => Promise.all(instances.map(createOne)),
  });
  assertInvariant(result !== undefined, "a store answered no result");
  if (result.kind === "created" || input.onExisting === "return")
    return toInstanceView(result.instance);
  throw alreadyExists(instance);
}

/** @throws as `EngineService.createBatch`; nothing is written then */
export async function createBatch(
  context: HostContext,
  workflow: RegisteredWorkflow,
  inputs: readonly CreateInstanceInput[],
  options: CreateBatchOptions = {},
): Promise<CreateBatchOutput> {
  if (!Array.isArray(inputs)) throw invalidField("createBatch", "a list of instances");
  assertBatchSize(context.limits, inputs.length);
  const parsed = await Promise.all(
    inputs.map((input) => toNewInstance(context, workflow, { ...input, ...options })),
  );
  const instances = parsed.map(toOneOfMany);
  const { unique, repeated } = splitRepeated(instances);
  const isKeyed = options.idempotencyKey !== undefined;
  const { create } = context.store;
  const results = unique.length === 0 ? [] : await createAll(context, unique, { isKeyed, create });
  const created = results.filter(({ kind }) => kind === "created");
  const existing = results.filter(({ kind }) => kind === "exists");
  return {
    instances: created.map(({ instance }) => toInstanceView(withoutLarge(instance))),
    skipped: [...existing.map(({ instance }) => instance), ...repeated].map(
      ({ instanceId }) => instanceId,
    ),
  };
}

/** The store leaves large outputs out where there are several. */
function withoutLarge(instance: Shown<InstanceRecord>): Shown<InstanceRecord> {
  const sizeBytes = utf8Size(instance.output ?? "");
  if (sizeBytes <= SMALL_PAYLOAD_BYTES) return instance;
  return { ...instance, output: null, omittedBytes: sizeBytes };
}

/** An answer of a batch has room for small outputs only. */
const toOneOfMany = (instance: NewInstance): NewInstance => ({ ...instance, isOfBatch: true });

/** @throws {WorkflowError} BATCH_TOO_LARGE */
export function assertBatchSize({ maxBatchSize }: Limits, size: number): void {
  if (size <= maxBatchSize) return;
  throw new WorkflowError(
    "BATCH_TOO_LARGE",
    `createBatch takes at most ${maxBatchSize} instances, got ${size}`,
    { size, maxBatchSize },
  );
}

/** Separates ids that appear twice in a batch, which count once. */
export function splitRepeated(instances: readonly NewInstance[]): {
  readonly unique: readonly NewInstance[];
  readonly repeated: readonly NewInstance[];
} {
  const firsts = new Map(instances.toReversed().map((instance) => [instance.instanceId, instance]));
  const isFirst = (instance: NewInstance): boolean => firsts.get(instance.instanceId) === instance;
  return {
    unique: instances.filter(isFirst),
    repeated: instances.filter((instance) => !isFirst(instance)),
  };
}

async function toNewInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: CreateInstanceInput,
): Promise<NewInstance> {
  const identified = await identifyCreate(workflow.name, input);
  const { schema } = workflow;
  if (schema === null) return describeInstance(context, workflow, identified);
  const params = await validate(schema, identified.params, paramsOf(workflow));
  return describeInstance(context, workflow, { ...identified, params });
}

/**
 * Describes the instance to create.
 *
 * @param input with params that the workflow's schema has parsed; they are stored like this, and not parsed again
 * @throws {WorkflowError} INVALID_INSTANCE_ID, NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE, INVALID_DURATION, INVALID_REQUEST
 */
export function describeInstance(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: IdentifiedCreate,
): NewInstance {
  const instanceId = parseInstanceId(input.id ?? newInstanceId(context.host), context.limits);
  const params = encodeJson(input.params, {
    maxBytes: context.limits.maxParamsBytes,
    what: "the params",
    isPlural: true,
  });
  const { newId, now } = context.host;
  const at = now();
  const start = parseStart(input, context.limits, at);
  const instance = {
    workflowName: workflow.name,
    instanceId,
    params,
    instanceRowId: input.instanceRowId ?? newId(),
    taskRowId: newId(),
    start,
    claim: null,
  };
  const facts = parseRunOptions(input, context.limits, at);
  const stamp = context.telemetry?.stamp(input);
  const isKeyed = input.instanceRowId !== undefined;
  if (facts === null && stamp === undefined && !isKeyed) return instance;
  return { ...instance, ...facts, ...stamp, ...(isKeyed ? { isKeyed } : {}) };
}

/**
 * 21 letters and digits: 9 of time in milliseconds, so that those made one after another lie side by side in every index that begins
 * with the instance, and 60 random bits, which make it unique among those of its millisecond. Each row and index entry of a run has it.
 */
function newInstanceId(host: Host): string {
  const random = crypto.randomUUID();
  const bits = BigInt(`0x${random.slice(-12)}${random.slice(0, 3)}`);
  return host.now().toString(32).padStart(9, "0") + bits.toString(32).padStart(12, "0");
}

interface Creating {
  /** Instances that were created before come back as created, so nobody may run them because of that answer. */
  readonly isKeyed: boolean;
  readonly create: (instances: readonly NewInstance[]) => Promise<readonly CreateResult[]>;
}

/**
 * Creates instances, each with a slot of this process if one is free.
 *
 * @throws the first failure, and {WorkflowError} IDEMPOTENCY_KEY_CONFLICT; instances that were created have been started
 */
async function createAll(
  context: HostContext,
  instances: readonly NewInstance[],
  { isKeyed, create }: Creating,
): Promise<readonly Created[]> {
  const slots = instances.map(({ start }) =>
    isKeyed || start !== null ? null : context.reserveSlot("create"),
  );
  const claiming = instances.map((instance, index) => {
    const slot = slots[index] ?? null;
    return slot === null ? instance : { ...instance, claim: slot.ticket };
  });
  try {
    const results = await create(claiming);
    for (const [index, instance] of claiming.entries()) {
      const result = results[index];
      if (result?.kind !== "created") continue;
      notifyCreated(context, result.instance);
      const slot = slots[index] ?? null;
      slots[index] = null;
      if (slot === null) wakeFor(context, result.instance, "create");
      else startHere(slot, { instance, result });
    }
    return results.map((result, index) =>
      toCreated(result, isKeyed ? instances[index] : undefined),
    );
  } finally {
    for (const slot of slots) slot?.release();
  }
}

/** Tells listeners, but not within a transaction, because it may not commit. */
export function notifyCreated({ lifecycle, isWithin }: HostContext, run: InstanceRecord): void {
  if (isWithin !== true) lifecycle.tell?.({ kind: "created", run, at: run.createdAt });
}

type Created = Exclude<CreateResult, { kind: "failed" }>;

/** @param asked what the existing instance has to match if the create is a repeat; absent: it cannot be one */
function toCreated(result: CreateResult, asked: NewInstance | undefined): Created {
  if (result.kind === "failed") throw result.error;
  if (result.kind === "created" && asked !== undefined) assertSameCreate(result.instance, asked);
  return result;
}

function startHere(
  slot: Slot,
  { instance, result }: { readonly instance: NewInstance; readonly result: Created },
): void {
  const { createdAt } = result.instance;
  slot.start(
    toNewRun(instance, result.instance, slot.ticket),
    result.next ?? { now: createdAt, nextDueAt: null, nextWakeAt: null },
  );
}

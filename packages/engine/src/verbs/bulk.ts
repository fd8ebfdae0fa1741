/** @module Bulk jobs as callers ask for them. Loaded with the first call. */
import { ACT_STATUSES, type BulkAct, findRefusal } from "../core/bulk.ts";
import { fromCursor } from "../core/cursor.ts";
import { bulkDisabled } from "../core/disabled.ts";
import { invalidField } from "../core/invalid-field.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { DEFAULT_LIMITS } from "../core/default-limits.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import type {
  BulkInput,
  BulkPreview,
  BulkSample,
  BulkView,
  ListBulksInput,
  ListBulksOutput,
  StartBulkInput,
} from "../ports/bulk.ts";
import type { InstancesInput } from "../ports/finding-service.ts";
import { type BulkParams, NO_PROGRESS, toBulkView } from "./bulk-view.ts";
import type { HostContext } from "./context.ts";
import { countMatching, type InstancesRequest } from "./count-matching.ts";
import { createInstance } from "./create.ts";
import { parsePageSize } from "./fields.ts";
import { FILTER_OPTIONS, parseInstances } from "./find-instances.ts";
import { toPosition } from "./history-page.ts";
import { toNextPage } from "./list.ts";
import { controlInstance, loadInstance } from "./manage.ts";

const BULK_OPTIONS: Readonly<Record<keyof BulkInput, 1>> = { ...FILTER_OPTIONS, act: 1 };
const START_OPTIONS: Readonly<Record<keyof StartBulkInput, 1>> = {
  ...BULK_OPTIONS,
  id: 1,
  idempotencyKey: 1,
};
const LIST_OPTIONS: Readonly<Record<keyof ListBulksInput, 1>> = { pageSize: 1, cursor: 1 };

const KIND = "bulk jobs";
const MAX_SAMPLES = 10;

/** @throws as `BulkService.previewBulk` */
export async function previewBulk(context: HostContext, input: BulkInput): Promise<BulkPreview> {
  assertKnownOptions("previewBulk", input, BULK_OPTIONS);
  const { act, request } = parseBulk(context, input);
  const [counts, rolledBack, samples] = await Promise.all([
    countMatching(context.store, request),
    countRolledBack(context, act, request),
    findSamples(context, act, request),
  ]);
  const refused = counts.counts.filter(
    ({ status }) => findRefusal(act, { status, error: null }) !== null,
  );
  const refusedCount = refused.reduce((sum, { count }) => sum + count, rolledBack);
  return {
    act,
    count: counts.count - refusedCount,
    isCapped: counts.isCapped,
    refusedCount,
    counts: counts.counts,
    samples,
  };
}

/** Counts instances that were rolled back: they are errored, but cannot be retried. */
async function countRolledBack(
  { store }: HostContext,
  act: BulkAct,
  request: InstancesRequest,
): Promise<number> {
  const code = request.errorCode ?? "ROLLED_BACK";
  if (act !== "retry" || code !== "ROLLED_BACK") return 0;
  if (request.statuses?.includes("errored") === false) return 0;
  const asked = { ...request, statuses: ["errored"] as const, errorCode: code };
  return (await countMatching(store, asked)).count;
}

async function findSamples(
  { store }: HostContext,
  act: BulkAct,
  request: InstancesRequest,
): Promise<readonly BulkSample[]> {
  const page = { pageSize: MAX_SAMPLES, after: null, maxPayloadBytes: 0 };
  const { items } = await store.findInstances({ ...request, ...page });
  return items.map((item) => {
    const { workflowName, instanceId: id, status } = item;
    return { workflowName, id, status, refusal: findRefusal(act, item) };
  });
}

/** @throws as `BulkService.startBulk` */
export async function startBulk(context: HostContext, input: StartBulkInput): Promise<BulkView> {
  const workflow = parseEnabled(context);
  assertKnownOptions("startBulk", input, START_OPTIONS);
  const { id, idempotencyKey, ...asked } = input;
  const params = parseBulk(context, asked);
  const { act, filter } = params;
  const { store, limits } = context;
  const { maxParamsBytes, maxMemoBytes } = OWN_LIMITS;
  // Limits that the application sets for its own instances do not apply to jobs.
  const own = { ...context, limits: { ...limits, maxParamsBytes, maxMemoBytes } };
  const { id: instanceId } = await createInstance(own, workflow, {
    input: {
      ...(id === undefined ? {} : { id }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      params,
      memo: { act, filter, progress: NO_PROGRESS },
    },
    createOne: async (instance) => {
      const [result] = await store.create([instance]);
      return result as NonNullable<typeof result>;
    },
  });
  return getBulk(context, instanceId);
}

const OWN_LIMITS = { ...DEFAULT_LIMITS, maxMemoBytes: DEFAULT_LIMITS.maxParamsBytes };

/** @throws as `BulkService.getBulk` */
export async function getBulk(context: HostContext, id: string): Promise<BulkView> {
  return toBulkView(await loadInstance(context, parseEnabled(context), id));
}

/** @throws as `BulkService.listBulks` */
export async function listBulks(
  context: HostContext,
  input: ListBulksInput = {},
): Promise<ListBulksOutput> {
  const { name } = parseEnabled(context);
  assertKnownOptions("listBulks", input, LIST_OPTIONS);
  const { pageSize = 25, cursor } = input;
  const page = await context.store.listInstances({
    workflowName: name,
    status: null,
    pageSize: parsePageSize(pageSize),
    after: cursor === undefined ? null : toPosition(KIND, fromCursor(KIND, cursor)["after"]),
  });
  return { bulks: page.items.map(toBulkView), ...toNextPage(KIND, page) };
}

/** @throws as `BulkService.cancelBulk` */
export async function cancelBulk(context: HostContext, id: string): Promise<BulkView> {
  const workflow = parseEnabled(context);
  const instanceId = parseInstanceId(id, context.limits);
  await controlInstance(context, workflow, { id: instanceId, command: "cancel" });
  return getBulk(context, instanceId);
}

/** @throws {WorkflowError} BULK_DISABLED */
function parseEnabled({ bulk }: HostContext): RegisteredWorkflow {
  if (bulk === null) throw bulkDisabled();
  return bulk;
}

/** @throws {WorkflowError} INVALID_REQUEST, WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_WORKFLOW_NAME */
function parseBulk(context: HostContext, { act, ...filter }: BulkInput): BulkParams {
  if (typeof act !== "string" || !Object.hasOwn(ACT_STATUSES, act))
    throw invalidField("act", `one of ${Object.keys(ACT_STATUSES).join(", ")}`);
  const said = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (said.length === 0 || (said.length === 1 && filter.stuck === false))
    throw invalidField("filter", "at least one of workflows, status, tag, …");
  const request = parseInstances(context, {
    ...filter,
    status: filter.status ?? ACT_STATUSES[act],
  });
  return { act, filter: toJsonFilter(said), request };
}

/** JSON has no dates. */
const toJsonFilter = (said: readonly (readonly [string, unknown])[]): InstancesInput =>
  Object.fromEntries(
    said.map(([name, value]) => [name, value instanceof Date ? value.getTime() : value]),
  );

/** @module Finds instances over workflows. Loaded with the first call. */
import { findWorkflow } from "../authoring/find-workflow.ts";
import { fromCursor } from "../core/cursor.ts";
import { invalidField } from "../core/invalid-field.ts";
import { toStartsAt } from "../core/delayed-start.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import { type Limits, parseWorkflowName } from "../core/limits.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs, InstanceRecord } from "../core/model/records.ts";
import { parseInstanceId } from "../core/request-ids.ts";
import { toStorableText } from "../core/storable-text.ts";
import { INSTANCE_STATUSES, type InstanceStatusName } from "../core/model/status.ts";
import type { FindInstancesRequest, InstanceFilter } from "../ports/find-instances.ts";
import type {
  FindInstancesInput,
  FindInstancesOutput,
  FoundInstance,
  InstancesInput,
} from "../ports/finding-service.ts";
import type { Shown } from "../ports/pages.ts";
import type { HostContext } from "./context.ts";
import { parsePageSize, parsePayloadsShown } from "./fields.ts";
import { toPosition } from "./history-page.ts";
import { toNextPage } from "./list.ts";
import { toInstanceView } from "./views.ts";

/** The kind of cursor: a position among all instances, whatever the filter is. */
const KIND = "instances of workflows";

/** Every option of a filter. */
export const FILTER_OPTIONS: Readonly<Record<keyof InstancesInput, 1>> = {
  workflows: 1,
  status: 1,
  tag: 1,
  idPrefix: 1,
  errorCode: 1,
  createdFrom: 1,
  createdBefore: 1,
  updatedFrom: 1,
  updatedBefore: 1,
  parent: 1,
  stuck: 1,
};

const FIND_OPTIONS: Readonly<Record<keyof FindInstancesInput, 1>> = {
  ...FILTER_OPTIONS,
  pageSize: 1,
  payloads: 1,
  cursor: 1,
};

/** @throws as `EngineService.findInstances` */
export async function findInstances(
  context: HostContext,
  input: FindInstancesInput = {},
): Promise<FindInstancesOutput> {
  assertKnownOptions("findInstances", input, FIND_OPTIONS);
  const request = parseFind(context, input);
  if (request.workflowNames.length === 0)
    return { instances: [], hasNextPage: false, isIncomplete: false };
  const { items, next, isIncomplete } = await context.store.findInstances(request);
  const instances = items.map((item) => toFoundInstance(item));
  return { instances, ...toNextPage(KIND, { next }), isIncomplete };
}

const toFoundInstance = (record: Shown<InstanceRecord>): FoundInstance => ({
  ...toInstanceView(record),
  workflowName: record.workflowName,
  createdAt: record.createdAt,
  startedAt: toStartsAt(record) === null ? record.startedAt : null,
  completedAt: record.completedAt,
});

function parseFind(context: HostContext, input: FindInstancesInput): FindInstancesRequest {
  const { cursor, pageSize = 25 } = input;
  const after = cursor === undefined ? null : toPosition(KIND, fromCursor(KIND, cursor)["after"]);
  return {
    ...parseInstances(context, input),
    pageSize: parsePageSize(pageSize),
    after,
    ...parsePayloadsShown(input.payloads),
  };
}

/** Parses which instances to find. @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_REQUEST, INVALID_INSTANCE_ID, INVALID_WORKFLOW_NAME */
export const parseInstances = (
  context: HostContext,
  input: InstancesInput,
): Branches & InstanceFilter => ({
  ...parsePairs(context, input),
  ...parseFilter(context, input),
});

/** @throws {WorkflowError} INVALID_REQUEST */
export function parseFilter({ limits }: HostContext, input: InstancesInput): InstanceFilter {
  return {
    tag: parseText("tag", input.tag),
    idPrefix: parseText("idPrefix", input.idPrefix),
    errorCode: parseText("errorCode", input.errorCode),
    createdFrom: parseInstant("createdFrom", input.createdFrom),
    createdBefore: parseInstant("createdBefore", input.createdBefore),
    updatedFrom: parseInstant("updatedFrom", input.updatedFrom),
    updatedBefore: parseInstant("updatedBefore", input.updatedBefore),
    parent: parseParent(input.parent, limits),
    isStuck: parseFlag("stuck", input.stuck),
  };
}

/** Parses the parent. Its workflow need not be registered: it may have been, once. */
function parseParent(parent: unknown, limits: Limits): InstanceRef | null {
  if (parent === undefined) return null;
  if (typeof parent !== "object" || parent === null)
    throw invalidField("parent", "a workflow's name and an instance's id");
  const { workflowName, instanceId, ...rest } = parent as Readonly<Record<string, unknown>>;
  assertKnownOptions("parent", rest, {});
  return {
    workflowName: parseWorkflowName(workflowName, limits),
    instanceId: parseInstanceId(instanceId, limits),
  };
}

function parseFlag(field: string, given: unknown = false): boolean {
  if (typeof given === "boolean") return given;
  throw invalidField(field, "true or false");
}

type Branches = Pick<FindInstancesRequest, "workflowNames" | "statuses">;

/** Workflows and statuses, however many: each is registered. @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_REQUEST */
export function parsePairs(
  { registry }: HostContext,
  { workflows, status }: Pick<FindInstancesInput, "workflows" | "status">,
): Branches {
  const names = workflows ?? [...registry.values()].map(({ name }) => name);
  if (!isListOfTexts(names) || workflows?.length === 0)
    throw invalidField("workflows", "a list of names, one at least");
  const workflowNames = [...new Set(names)];
  for (const name of workflowNames) findWorkflow(registry, name);
  const statuses = status === undefined ? [] : [...new Set(parseStatusList(status))];
  const isAny = status === undefined || statuses.length === INSTANCE_STATUSES.length;
  return { workflowNames, statuses: isAny ? null : statuses };
}

/** @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_REQUEST */
export const parseWorkflows = (
  context: HostContext,
  { workflows }: Pick<FindInstancesInput, "workflows">,
): readonly string[] =>
  parsePairs(context, workflows === undefined ? {} : { workflows }).workflowNames;

const isListOfTexts = (list: unknown): list is readonly string[] =>
  Array.isArray(list) && list.every((item) => typeof item === "string");

function parseStatusList(status: readonly InstanceStatusName[]): readonly InstanceStatusName[] {
  const isKnown =
    isListOfTexts(status) &&
    status.length > 0 &&
    status.every((name) => INSTANCE_STATUSES.includes(name));
  if (isKnown) return status;
  throw invalidField("status", `a list of ${INSTANCE_STATUSES.join(", ")}, one at least`);
}

const MAX_TEXT_LENGTH = 256;

function parseText(field: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  const isText =
    typeof text === "string" &&
    text !== "" &&
    text.length <= MAX_TEXT_LENGTH &&
    toStorableText(text) === text;
  if (isText) return text;
  throw invalidField(field, `a text of 1 to ${MAX_TEXT_LENGTH} characters`);
}

/** The largest time value, which every database can store. @source ECMA-262, time values */
const MAX_INSTANT = 8.64e15;

function parseInstant(field: string, given: Date | EpochMs | undefined): EpochMs | null {
  if (given === undefined) return null;
  const at = given instanceof Date ? given.getTime() : given;
  if (Number.isInteger(at) && at >= 0 && at <= MAX_INSTANT) return at;
  throw invalidField(field, "a Date or epoch milliseconds, from 0");
}

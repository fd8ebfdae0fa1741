/** Pages of instances and of history. */
import { invalidField } from "../core/invalid-field.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { fromCursor, toCursor } from "../core/cursor.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  HistoryInput,
  HistoryOutput,
  ListInstancesInput,
  ListInstancesOutput,
} from "../ports/instance-views.ts";
import type { ListInstancesRequest, Page } from "../ports/pages.ts";
import type { HostContext } from "./context.ts";
import {
  parseHistoryPageSize,
  parsePageSize,
  parsePayloadsShown,
  parseRunNumber,
} from "./fields.ts";
import { parseHistoryCursor, toHistoryOutput, toPosition } from "./history-page.ts";
import { loadInstance } from "./manage.ts";
import { toInstanceView } from "./views.ts";

/** @throws {WorkflowError} INVALID_CURSOR, INVALID_REQUEST */
export async function listInstances(
  context: HostContext,
  workflow: RegisteredWorkflow,
  input: ListInstancesInput,
): Promise<ListInstancesOutput> {
  const { kind, ...request } = parseInstancesPage(workflow.name, input);
  const page = await context.store.listInstances(request);
  return { instances: page.items.map(toInstanceView), ...toNextPage(kind, page) };
}

/** Parses the request for a page, and the kind of its cursors. @throws {WorkflowError} INVALID_CURSOR, INVALID_REQUEST */
export function parseInstancesPage(
  workflowName: string,
  input: ListInstancesInput,
): ListInstancesRequest & { readonly kind: string } {
  const { status = null, cursor, pageSize = 25, payloads } = input;
  if (status !== null && !INSTANCE_STATUSES.includes(status))
    throw invalidField("status", `one of ${INSTANCE_STATUSES.join(", ")}`);
  const kind = `instances ${workflowName} ${status ?? ""}`;
  const after = cursor === undefined ? null : toPosition(kind, fromCursor(kind, cursor)["after"]);
  const shown = parsePayloadsShown(payloads);
  return { kind, workflowName, status, pageSize: parsePageSize(pageSize), after, ...shown };
}

/** How to continue after a page. */
export const toNextPage = (
  kind: string,
  { next }: Pick<Page<unknown>, "next">,
): Pick<ListInstancesOutput, "cursor" | "hasNextPage"> => ({
  hasNextPage: next !== null,
  ...(next === null ? {} : { cursor: toCursor(kind, { after: next }) }),
});

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, INVALID_INSTANCE_ID, INVALID_CURSOR, INVALID_REQUEST */
export async function listHistory(
  context: HostContext,
  workflow: RegisteredWorkflow,
  { id, input }: { readonly id: string; readonly input: HistoryInput },
): Promise<HistoryOutput> {
  const asked = {
    pageSize: parseHistoryPageSize(input),
    ...parsePayloadsShown(input.payloads),
  };
  const instance = await loadInstance(context, workflow, id);
  const runNumber = parseRunNumber(input.runNumber ?? instance.runNumber);
  const run = { workflowName: workflow.name, instanceId: instance.instanceId, runNumber };
  const after = parseHistoryCursor(run, input.cursor);
  return toHistoryOutput(
    run,
    await context.store.loadHistory({ ...run, ...asked, ...after }),
    after,
  );
}

/** Pages of instances and of history. */
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { fromCursor, toCursor } from "../core/cursor.ts";
import { INSTANCE_STATUSES } from "../core/model/status.ts";
import type {
  HistoryInput,
  HistoryOutput,
  ListInstancesInput,
  ListInstancesOutput,
} from "../ports/service.ts";
import type { HostContext } from "./context.ts";
import {
  invalidField,
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
  const { status = null } = input;
  if (status !== null && !INSTANCE_STATUSES.includes(status))
    throw invalidField("status", `one of ${INSTANCE_STATUSES.join(", ")}`);
  const kind = `instances ${workflow.name} ${status ?? ""}`;
  const after =
    input.cursor === undefined ? null : toPosition(kind, fromCursor(kind, input.cursor)["after"]);
  const pageSize = parsePageSize(input.pageSize ?? 25);
  const page = await context.store.listInstances({
    workflowName: workflow.name,
    status,
    pageSize,
    after,
    ...parsePayloadsShown(input.payloads),
  });
  return {
    instances: page.items.map(toInstanceView),
    hasNextPage: page.next !== null,
    ...(page.next === null ? {} : { cursor: toCursor(kind, { after: page.next }) }),
  };
}

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

/** Reads an instance and its history in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  type HistoryInput,
  type HistoryOutput,
  type HistoryPosition,
  type InstanceRef,
  type PagePosition,
  parseHistoryCursor,
  parseHistoryPageSize,
  parsePayloadsShown,
  parseRunNumber,
  peekHistoryCursor,
  type RunRef,
  toHistoryOutput,
  toInstanceView,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { SqlExpression } from "../../adapter/sql-expression.ts";
import type { FragmentHost } from "../fragment-host.ts";
import { readEvent, readStep } from "../rows.ts";
import { currentRun, findInstance, findOf, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { isBehind, toPage } from "./read-page.ts";

/** The state of an instance. */
export function getInstanceStatus(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
): TxResult<InstanceStatus> {
  const parsed = parseRef(scope.host, workflowName, instanceId);
  return toServiceCall(scope, {
    find: (uow) => findInstance(uow, parsed),
    decide: ([rows]) => toInstanceView(requireInstance(rows, parsed).record).details,
    answer: (details) => details,
  });
}

/** The most steps and events on a page: its rows are read completely, with results of any size, and cut afterwards. */
const MOST_READ = 100;

/** A page of steps and events of a run. */
export function listHistory(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  input: HistoryInput = {},
): TxResult<HistoryOutput> {
  const { host } = scope;
  const parsed = parseRef(host, workflowName, instanceId);
  const pageSize = Math.min(parseHistoryPageSize(input), MOST_READ);
  const shown = parsePayloadsShown(input.payloads);
  const runNumber = input.runNumber === undefined ? null : parseRunNumber(input.runNumber);
  // Whether the cursor belongs to this run is only known once the run is.
  const peeked = peekHistoryCursor(input.cursor);
  const request = { ...parsed, pageSize, runNumber: runNumber ?? currentRun(parsed) };
  return toServiceCall(scope, {
    find: (uow) => findHistory(host, uow, { ...request, after: peeked }),
    decide: ([instances, steps = [], events = []]) => {
      const { record } = requireInstance(instances, parsed);
      const run: RunRef = { ...parsed, runNumber: runNumber ?? record.runNumber };
      const after = parseHistoryCursor(run, input.cursor);
      const pages = {
        steps: toPage(steps, { pageSize, shown, read: readStep, payload: "result", order: "asc" }),
        events: toPage(events, {
          pageSize,
          shown,
          read: readEvent,
          payload: "payload",
          order: "asc",
        }),
      };
      return toHistoryOutput(run, pages, after);
    },
    answer: (history) => history,
  });
}

interface HistoryRequest extends InstanceRef {
  readonly runNumber: number | SqlExpression;
  readonly pageSize: number;
  readonly after: HistoryPosition;
}

function findHistory(host: FragmentHost, uow: WriteUow, request: HistoryRequest): WriteUow {
  const { stepsAfter, eventsAfter } = request.after;
  const withSteps = findPage(host, findInstance(uow, request), {
    ...request,
    table: "workflow_step",
    position: stepsAfter,
  });
  return findPage(host, withSteps, { ...request, table: "workflow_event", position: eventsAfter });
}

function findPage(
  host: FragmentHost,
  uow: WriteUow,
  request: HistoryRequest & { readonly table: string; readonly position: PagePosition | null },
): WriteUow {
  const { runNumber, position, table, pageSize } = request;
  return findOf(uow, table, request, {
    by: "idx_history",
    where: (is) => [
      is("runNumber", "=", runNumber),
      isBehind(is, host, { position, order: "asc" }),
    ],
    // Fragno's own adapters have no tie-break, so a page with a limit could miss rows.
    refine: (find) =>
      host.isOurs ? find.orderByIndex("idx_history" as never, "asc").pageSize(pageSize + 1) : find,
  });
}

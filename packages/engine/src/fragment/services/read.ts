/** Reading an instance and its history in anybody's transaction. */
import { type SqlExpression, sqlExpression } from "@escapement/db/fragno";
import type { TxResult } from "@fragno-dev/db";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { RunRef } from "../../core/model/records.ts";
import {
  type HistoryPosition,
  parseHistoryCursor,
  parseHistoryPageSize,
  parseRunNumber,
  peekHistoryCursor,
  toHistoryOutput,
} from "../../host/history-page.ts";
import { toInstanceView } from "../../host/views.ts";
import type { HistoryInput, HistoryOutput, InstanceStatus } from "../../ports/service.ts";
import type { Page, PagePosition } from "../../ports/store.ts";
import { INSTANCE } from "../../stores/sql/statements/tables.ts";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readEvent, readStep } from "../rows.ts";
import { findInstance, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";

/** The state of an instance. */
export function getInstanceStatus(scope: ServiceScope, ref: InstanceRef): TxResult<InstanceStatus> {
  const parsed = parseRef(scope.host, ref.workflowName, ref.instanceId);
  return toServiceCall(scope, {
    find: (uow) => findInstance(uow, parsed),
    decide: ([rows]) => toInstanceView(requireInstance(rows, parsed).record).details,
    answer: (details) => details,
  });
}

/** A page of steps and events of a run. */
export function listHistory(
  scope: ServiceScope,
  ref: InstanceRef,
  input: HistoryInput,
): TxResult<HistoryOutput> {
  const { host } = scope;
  const parsed = parseRef(host, ref.workflowName, ref.instanceId);
  const pageSize = parseHistoryPageSize(input);
  const runNumber = input.runNumber === undefined ? null : parseRunNumber(input.runNumber);
  // Whether the cursor is of this run is known only when the run is.
  const peeked = peekHistoryCursor(input.cursor);
  const request = { ...parsed, pageSize, runNumber: runNumber ?? currentRun(parsed) };
  return toServiceCall(scope, {
    find: (uow) => findHistory(host, uow, { ...request, after: peeked }),
    decide: ([instances, steps = [], events = []]) => {
      const { record } = requireInstance(instances, parsed);
      const run: RunRef = { ...parsed, runNumber: runNumber ?? record.runNumber };
      const after = parseHistoryCursor(run, input.cursor);
      const pages = {
        steps: toPage(steps, pageSize, readStep),
        events: toPage(events, pageSize, readEvent),
      };
      return toHistoryOutput(run, pages, after);
    },
    answer: (history) => history,
  });
}

/** One read phase has to find run and history alike. */
const currentRun = ({ workflowName, instanceId }: InstanceRef): SqlExpression =>
  sqlExpression(
    [
      `(select i."runNumber" from ${INSTANCE} as i where i."workflowName" = `,
      ` and i."instanceId" = `,
      `)`,
    ],
    workflowName,
    instanceId,
  );

interface HistoryRequest extends InstanceRef {
  readonly runNumber: number | SqlExpression;
  readonly pageSize: number;
  readonly after: HistoryPosition;
}

function findHistory(host: FragmentHost, uow: WriteUow, request: HistoryRequest): WriteUow {
  const { stepsAfter, eventsAfter } = request.after;
  const withSteps = findRows(host, findInstance(uow, request), {
    ...request,
    table: "workflow_step",
    position: stepsAfter,
  });
  return findRows(host, withSteps, { ...request, table: "workflow_event", position: eventsAfter });
}

function findRows(
  { sql, isOurs }: FragmentHost,
  uow: WriteUow,
  request: HistoryRequest & { readonly table: string; readonly position: PagePosition | null },
): WriteUow {
  const { workflowName, instanceId, runNumber, position, table, pageSize } = request;
  return uow.find(table, (find) => {
    const rows = find.whereIndex("idx_history", (is) =>
      is.and(
        is("workflowName", "=", workflowName),
        is("instanceId", "=", instanceId),
        is("runNumber", "=", runNumber),
        position === null ||
          is.or(
            is("createdAt", ">", sql.instant(position.at)),
            is.and(is("createdAt", "=", sql.instant(position.at)), is("id", ">", position.id)),
          ),
      ),
    );
    // Fragno's own adapters have no tie-break: a page that they cut off could lose rows.
    return isOurs ? rows.orderByIndex("idx_history", "asc").pageSize(pageSize + 1) : rows;
  }) as unknown as WriteUow;
}

function toPage<T extends { readonly createdAt: number; readonly id: string }>(
  rows: readonly FragnoRow[],
  pageSize: number,
  read: (row: FragnoRow) => T,
): Page<T> {
  const items = rows
    .map(read)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  const shown = items.slice(0, pageSize);
  const last = shown.at(-1);
  const hasMore = items.length > pageSize && last !== undefined;
  return { items: shown, next: hasMore ? { at: last.createdAt, id: last.id } : null };
}

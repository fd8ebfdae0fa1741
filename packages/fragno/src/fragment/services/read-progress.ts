/** Reads an instance's progress stream in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertKnownOptions,
  type InstanceRef,
  parseProgressRange,
  PROGRESS_PAGE_BYTES,
  type ReadProgressOptions,
  type ReadProgressOutput,
  type ReadProgressRequest,
  toReadProgressOutput,
} from "@escapement/engine/internal";
import { sqlExpression } from "../../adapter/sql-expression.ts";
import { readProgressRow } from "../rows.ts";
import { findInstance, findOf, only, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";

/** The options of the service: a transaction does not wait for entries. */
export type ProgressRange = Pick<ReadProgressOptions, "after" | "limit">;

const OPTIONS: Readonly<Record<keyof ProgressRange, 1>> = { after: 1, limit: 1 };

/** The entries that exist now. */
export function readProgress(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  options: ProgressRange = {},
): TxResult<ReadProgressOutput> {
  assertKnownOptions("readProgress", options, OPTIONS);
  const parsed = parseRef(scope.host, workflowName, instanceId);
  const request = { ...parsed, ...parseProgressRange(options) };
  return toServiceCall(scope, {
    // The state first, so that all entries of an ended run exist when the entries are read.
    find: (uow) => findNewest(findEntries(findInstance(uow, parsed), request), parsed),
    decide: ([instances, rows = [], last = []]) => {
      const { status, runNumber } = requireInstance(instances, parsed).record;
      const entries = rows.map(readProgressRow).toSorted((a, b) => a.sequence - b.sequence);
      const newest = Number(last[0]?.["sequence"] ?? 0);
      return toReadProgressOutput({ status, runNumber, newest, entries }, request);
    },
    answer: (output) => output,
  });
}

/** The read bounds rows and bytes. */
const findEntries = (uow: WriteUow, request: ReadProgressRequest): WriteUow =>
  findOf(uow, "workflow_progress", request, {
    by: "unique_sequence",
    where: (is) => [is("sequence", ">", request.after), is("sequence", "<=", lastOfPage(request))],
  });

/** The sequence of the last entry that fits on a page; at least the first one, however large it is. */
const lastOfPage = ({ workflowName, instanceId, after, limit }: ReadProgressRequest) =>
  sqlExpression`(select max(p."sequence") from (select k."sequence", k."totalBytes" - k."sizeBytes" as "before"
    from "workflow_progress_workflows" as k where k."workflowName" = ${workflowName} and k."instanceId" = ${instanceId}
    and k."sequence" > ${after} order by k."sequence" limit 1) as f join "workflow_progress_workflows" as p
    on p."workflowName" = ${workflowName} and p."instanceId" = ${instanceId}
    and p."sequence" >= f."sequence" and p."sequence" < f."sequence" + cast(${limit} as integer)
    where p."sequence" = f."sequence" or p."totalBytes" <= f."before" + cast(${PROGRESS_PAGE_BYTES} as integer))`;

const findNewest = (uow: WriteUow, ref: InstanceRef): WriteUow => {
  const newest = sqlExpression`(select max(p."sequence") from "workflow_progress_workflows" as p
    where p."workflowName" = ${ref.workflowName} and p."instanceId" = ${ref.instanceId})`;
  return findOf(uow, "workflow_progress", ref, {
    by: "unique_sequence",
    where: (is) => [is("sequence", "=", newest)],
    refine: only("id", "sequence"),
  });
};

/** Reads that several services begin with. */
import {
  INSTANCE,
  type InstanceRecord,
  type InstanceRef,
  notFound,
  parseInstanceId,
} from "@escapement/engine/internal";
import { type SqlExpression, sqlExpression } from "../../adapter/sql-expression.ts";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import type { WriteUow } from "./operation.ts";

/** An instance and the row that it was read from, whose version fences. */
export interface FoundInstance {
  readonly row: FragnoRow;
  readonly record: InstanceRecord;
}

/** @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID */
export function parseRef(host: FragmentHost, workflowName: string, id: string): InstanceRef {
  const instanceId = parseInstanceId(id, host.context.limits);
  return { workflowName: host.find(workflowName).name, instanceId };
}

/** Queues the read of an instance. */
export const findInstance = (uow: WriteUow, { workflowName, instanceId }: InstanceRef): WriteUow =>
  uow.find("workflow_instance", (find) =>
    find.whereIndex("unique_instance", (is) =>
      is.and(is("workflowName", "=", workflowName), is("instanceId", "=", instanceId)),
    ),
  ) as unknown as WriteUow;

/** Queues the read of an instance's tasks: one at most, of its present run. */
export const findTasks = (uow: WriteUow, { workflowName, instanceId }: InstanceRef): WriteUow =>
  uow.find("workflow_task", (find) =>
    find.whereIndex("unique_run", (is) =>
      is.and(is("workflowName", "=", workflowName), is("instanceId", "=", instanceId)),
    ),
  ) as unknown as WriteUow;

/** @throws {WorkflowError} INSTANCE_NOT_FOUND */
export function requireInstance(
  rows: readonly FragnoRow[] | undefined,
  ref: InstanceRef,
): FoundInstance {
  const row = rows?.[0];
  if (row === undefined) throw notFound(ref);
  return { row, record: readInstance(row) };
}

/** The instance's present run, where one read phase has to find the instance and what belongs to its run. */
export const currentRun = ({ workflowName, instanceId }: InstanceRef): SqlExpression =>
  sqlExpression(
    [
      `(select i."runNumber" from ${INSTANCE} as i where i."workflowName" = `,
      ` and i."instanceId" = `,
      `)`,
    ],
    workflowName,
    instanceId,
  );

/** Reads that several services begin with. */
import type { FindBuilder } from "@fragno-dev/db/unit-of-work";
import {
  INSTANCE,
  type InstanceRecord,
  type InstanceRef,
  notFound,
  parseInstanceId,
} from "@escapement/engine/internal";
import { type SqlExpression, sqlExpression } from "../../adapter/sql-expression.ts";
import type { AnyTable } from "../../adapter/internals.ts";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import type { WriteUow } from "./operation.ts";

/** An instance and its row, whose version is the fence. */
export interface FoundInstance {
  readonly row: FragnoRow;
  readonly record: InstanceRecord;
  /** Of the last command that had one. */
  readonly controlKey: string | null;
}

/** @throws {WorkflowError} WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID */
export function parseRef(host: FragmentHost, workflowName: string, id: string): InstanceRef {
  const instanceId = parseInstanceId(id, host.context.limits);
  return { workflowName: host.find(workflowName).name, instanceId };
}

/** The functions that build conditions. Fragno's builders have a type for each table. */
export interface Is {
  (column: string, operator: string, value: unknown): unknown;
  readonly and: (...terms: readonly unknown[]) => unknown;
  readonly or: (...terms: readonly unknown[]) => unknown;
  readonly isNull: (column: string) => unknown;
}

interface Find {
  /** The index to read by. */
  readonly by: string;
  /** The conditions, which must all hold. */
  readonly where: (is: Is) => readonly unknown[];
  /** Which columns are read, and how many rows. @default all of them */
  readonly refine?: (find: FindBuilder<AnyTable>) => object;
}

/** Queues a find. */
export const findRows = (
  uow: WriteUow,
  table: string,
  { by, where, refine = (find) => find }: Find,
): WriteUow =>
  uow.find(table, ((find: FindBuilder<AnyTable>) =>
    refine(
      find.whereIndex(by as never, ((is: Is) => is.and(...where(is))) as never),
    )) as never) as unknown as WriteUow;

/** Queues a find of an instance's rows. */
export const findOf = (
  uow: WriteUow,
  table: string,
  ref: InstanceRef,
  { where = () => [], ...find }: Omit<Find, "where"> & Partial<Pick<Find, "where">>,
): WriteUow =>
  findRows(uow, table, {
    ...find,
    where: (is) => [
      is("workflowName", "=", ref.workflowName),
      is("instanceId", "=", ref.instanceId),
      ...where(is),
    ],
  });

/** Reads only these columns. */
export const only =
  (...columns: readonly string[]): NonNullable<Find["refine"]> =>
  (find) =>
    find.select(columns as never);

/** Queues the read of an instance. */
export const findInstance = (uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_instance", ref, { by: "unique_instance" });

/** Queues the read of an event of the current run, by the sender's own id. */
export const findEvent = (uow: WriteUow, ref: InstanceRef, eventId: string): WriteUow =>
  findOf(uow, "workflow_event", ref, {
    by: "idx_history",
    where: (is) => [is("runNumber", "=", currentRun(ref)), is("eventId", "=", eventId)],
  });

/** @throws {WorkflowError} INSTANCE_NOT_FOUND */
export function requireInstance(
  rows: readonly FragnoRow[] | undefined,
  ref: InstanceRef,
): FoundInstance {
  const row = rows?.[0];
  if (row === undefined) throw notFound(ref);
  return { row, record: readInstance(row), controlKey: row["controlKey"] as string | null };
}

/** The number of the instance's current run, for a read phase that has to find the instance and rows of its run together. */
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

/** Creates instances in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  alreadyExists,
  assertBatchSize,
  assertKnownOptions,
  assertSameCreate,
  CREATE_OPTIONS,
  type CreateBatchOutput,
  decodeJson,
  describeInstance,
  type IdentifiedCreate,
  type InstanceRecord,
  type NewInstance,
  paramsOf,
  splitRepeated,
  toCreateBatch,
  toInstanceView,
  validateNow,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import { findInstance, findRows } from "./find-instance.ts";
import {
  type Due,
  type Found,
  type ServiceScope,
  toServiceCall,
  type WriteUow,
} from "./operation.ts";
import { writeRow } from "./own-statements.ts";

/**
 * Creates without a read: if the id is taken, the unique index refuses it, which ends the transaction. It reads first only if an existing
 * instance is a valid answer, or the adapter cannot tell what was refused.
 */
export function createInstance(
  scope: ServiceScope,
  workflowName: string,
  input: IdentifiedCreate = {},
): TxResult<InstanceView> {
  const { host } = scope;
  const instance = toNewInstance(host, workflowName, input);
  const isKeyed = input.instanceRowId !== undefined;
  const looksFirst = isKeyed || input.onExisting === "return" || !host.isOurs;
  return toServiceCall(scope, {
    ...(looksFirst ? { find: (uow: WriteUow) => findInstance(uow, instance) } : {}),
    decide: ([rows]: Found): InstanceRecord | null => {
      const existing = rows?.[0];
      if (existing === undefined) return null;
      if (isKeyed && isMadeBy(existing, instance)) return readInstance(existing);
      if (input.onExisting !== "return") throw alreadyExists(instance);
      return readInstance(existing);
    },
    write: (uow, existing) => {
      if (existing === null) writeInstance(host, uow, { instance, isKnownNew: looksFirst });
    },
    dues: (existing) => (existing === null ? toDues(instance) : []),
    answer: (existing) => (existing === null ? toNewView(instance) : toInstanceView(existing)),
  });
}

/** Ids that exist are skipped. */
export function createBatch(
  scope: ServiceScope,
  workflowName: string,
  inputs: readonly IdentifiedCreate[],
): TxResult<CreateBatchOutput> {
  const { host } = scope;
  assertBatchSize(host.context.limits, inputs.length);
  const { name } = host.find(workflowName);
  const { unique, repeated } = splitRepeated(
    inputs.map((input) => toNewInstance(host, name, input)),
  );
  const ids = unique.map(({ instanceId }) => instanceId);
  const isKnownNew = true;
  return toServiceCall(scope, {
    ...(ids.length === 0 ? {} : { find: (uow: WriteUow) => findMany(uow, name, ids) }),
    decide: ([rows = []]: Found) => {
      const byId = new Map(rows.map((row) => [String(row["instanceId"]), row]));
      const found = unique.map((instance) => ({ instance, row: byId.get(instance.instanceId) }));
      const isOurs = ({ instance, row }: (typeof found)[number]): boolean =>
        row === undefined || isMadeBy(row, instance);
      const ours = found.filter(isOurs);
      return {
        created: ours.flatMap(({ instance, row }) => (row === undefined ? [instance] : [])),
        views: ours.map(({ instance, row }) =>
          row === undefined ? toNewView(instance) : toInstanceView(readInstance(row)),
        ),
        taken: found.filter((one) => !isOurs(one)).map(({ instance }) => instance),
      };
    },
    write: (uow, { created }) => {
      for (const instance of created) writeInstance(host, uow, { instance, isKnownNew });
    },
    dues: ({ created }) => created.flatMap(toDues),
    answer: ({ views, taken }): CreateBatchOutput => ({
      instances: views,
      skipped: [...taken, ...repeated].map(({ instanceId }) => instanceId),
    }),
  });
}

const SERVICE_OPTIONS: object = { ...CREATE_OPTIONS, instanceRowId: 1 };

export function toNewInstance(
  host: FragmentHost,
  workflowName: string,
  input: IdentifiedCreate,
): NewInstance {
  assertKnownOptions("createInstance", input, SERVICE_OPTIONS);
  const workflow = host.find(workflowName);
  const params = validateNow(workflow.schema, input.params, paramsOf(workflow));
  return describeInstance(host.context, workflow, { ...input, params });
}

/** The row was written by an earlier create with the same key. @throws {WorkflowError} IDEMPOTENCY_KEY_CONFLICT */
function isMadeBy(row: FragnoRow, instance: NewInstance): boolean {
  if (row.id.externalId !== instance.instanceRowId) return false;
  assertSameCreate(readInstance(row), instance);
  return true;
}

const findMany = (uow: WriteUow, workflowName: string, ids: readonly string[]): WriteUow =>
  findRows(uow, "workflow_instance", {
    by: "unique_instance",
    where: (is) => [is("workflowName", "=", workflowName), is("instanceId", "in", [...ids])],
  });

/** Queues the writes of a new instance. @param given.isKnownNew a read has found none of its id */
export function writeInstance(
  host: FragmentHost,
  uow: WriteUow,
  { instance, isKnownNew }: { readonly instance: NewInstance; readonly isKnownNew: boolean },
): void {
  const { workflowName, instanceId, instanceRowId } = instance;
  const row = { id: instanceRowId, workflowName, instanceId };
  writeRow(host, uow, { row, isKnownNew, batch: toCreateBatch(host.dialect, instance) });
}

/** Whatever the run is waiting for by then, nothing else files a hook for its deadline. */
export const toDues = ({
  workflowName,
  instanceId,
  start,
  deadline,
}: Pick<NewInstance, "workflowName" | "instanceId" | "start" | "deadline">): readonly Due[] => [
  { workflowName, instanceId, reason: "create", start },
  ...(deadline ? [{ workflowName, instanceId, reason: "wake", start: deadline } as const] : []),
];

export const toNewView = ({ instanceId, tags = [], memo = null }: NewInstance): InstanceView => ({
  id: instanceId,
  details: {
    status: "queued",
    runNumber: 1,
    ...(tags.length === 0 ? {} : { tags }),
    ...(memo === null ? {} : { memo: decodeJson(memo) }),
  },
});

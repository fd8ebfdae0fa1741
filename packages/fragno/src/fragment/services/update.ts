/** Changes deadline, tags and memo of an instance in any transaction, by the store's own statements. */
import type { TxResult } from "@fragno-dev/db";
import {
  type InstanceRecord,
  type InstanceRef,
  parseUpdate,
  refusalOfUpdate,
  repetitionOf,
  toInstanceView,
  toUpdateBatch,
  toRefusal,
  type UpdateOptions,
  type UpdateRequest,
} from "@escapement/engine/internal";
import type { InstanceStatus } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import {
  findInstance,
  findOf,
  type FoundInstance,
  only,
  parseRef,
  requireInstance,
} from "./find-instance.ts";
import { type Found, type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { writeToInstance } from "./own-statements.ts";

interface Updated extends FoundInstance {
  readonly after: InstanceRecord;
  /** false: an earlier call with the same key has done it. */
  readonly isNew: boolean;
}

export function updateInstance(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  options: UpdateOptions,
): TxResult<InstanceStatus> {
  const { host } = scope;
  const { limits, host: runtime } = host.context;
  const parsed = parseRef(host, workflowName, instanceId);
  const request = parseUpdate(parsed, options, { limits, now: runtime.now() });
  const { deadline = null } = request.facts;
  return toServiceCall(scope, {
    find: (uow) => findOverdue(host, findInstance(uow, parsed), parsed),
    decide: (found) => decideUpdate(found, request),
    write: (uow, { row, isNew }) => {
      if (isNew) writeToInstance(host, uow, row, toUpdateBatch(host.dialect, request));
    },
    dues: ({ isNew }) =>
      isNew && deadline !== null ? [{ ...parsed, reason: "wake", start: deadline }] : [],
    answer: ({ after }) => toInstanceView(after).details,
  });
}

/** Queues a read of the instance that finds a row only if its deadline has passed by the database's clock. */
const findOverdue = ({ sql }: FragmentHost, uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_instance", ref, {
    by: "unique_instance",
    where: (is) => [is("deadlineAt", "<=", sql.now())],
    refine: only("id"),
  });

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, and why nothing is changed */
function decideUpdate([instances, overdue = []]: Found, request: UpdateRequest): Updated {
  const before = requireInstance(instances, request);
  const { record: instance } = before;
  const repetition = repetitionOf(before, request);
  if (repetition === "repeated") return { ...before, after: instance, isNew: false };
  const now = overdue.length > 0 ? Infinity : -Infinity;
  const kind = repetition ?? refusalOfUpdate(instance, request, now);
  if (kind !== null) throw toRefusal({ kind, instance }, request);
  return { ...before, after: toShown(instance, request.facts), isNew: true };
}

/** As the answer shows it, without a new deadline, because the database computes its instant. */
export const toShown = (
  instance: InstanceRecord,
  { deadline, tags, memo }: UpdateRequest["facts"],
): InstanceRecord => ({
  ...instance,
  ...(deadline === undefined ? {} : { deadlineAt: null }),
  ...(tags === undefined ? {} : { tags }),
  ...(memo === undefined ? {} : { memo }),
});

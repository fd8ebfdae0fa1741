/** Changes deadline, tags and memo of an instance in any transaction, by the store's own statements. */
import type { TxResult } from "@fragno-dev/db";
import {
  type InstanceRecord,
  type InstanceRef,
  parseUpdate,
  refusalOfDeadline,
  toInstanceView,
  toUpdateBatch,
  toUpdateError,
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
import {
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";
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
  const due = { ...parsed, reason: "wake" } as const;
  return toServiceCall(scope, {
    find: (uow) => findOverdue(host, findInstance(uow, parsed), parsed),
    decide: (found) => decideUpdate(found, request),
    write: (uow, { row, isNew }) => {
      if (!isNew) return;
      writeToInstance(host, uow, row, toUpdateBatch(host.texts, request));
      if (deadline !== null) fileHook(host, uow, due, deadline);
    },
    answer: ({ after }) => toInstanceView(after).details,
    committed: ({ isNew }) => {
      if (isNew && deadline !== null) wake(host, { ...parsed, reason: "resume" }, deadline);
    },
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
  const { row, record: instance } = requireInstance(instances, request);
  const { ifRunNumber, ifStatus, controlKey, facts } = request;
  if (controlKey !== null && row["controlKey"] === controlKey)
    return { row, record: instance, after: instance, isNew: false };
  if (ifRunNumber !== null && ifRunNumber !== instance.runNumber)
    throw toUpdateError({ kind: "runNumberMismatch", instance }, request);
  if (ifStatus?.includes(instance.status) === false)
    throw toUpdateError({ kind: "statusMismatch", instance }, request);
  const now = overdue.length > 0 ? Infinity : -Infinity;
  const refusal = facts.deadline === undefined ? null : refusalOfDeadline(instance, now);
  if (refusal !== null) throw toUpdateError({ kind: refusal, instance }, request);
  return { row, record: instance, after: toShown(instance, facts), isNew: true };
}

/** As the answer shows it, without a new deadline, because the database computes its instant. */
const toShown = (
  instance: InstanceRecord,
  { deadline, ...facts }: UpdateRequest["facts"],
): InstanceRecord => ({
  ...instance,
  ...facts,
  ...(deadline === undefined ? {} : { deadlineAt: null }),
});

/** Creates an instance that begins with a copy of another's steps, in any transaction. The database makes the copy. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertForked,
  describeFork,
  type ForkRequest,
  type IdentifiedFork,
  INSTANCE,
  type InstanceRecord,
  paramsOf,
  toForkBatch,
  toInstanceView,
  validateNow,
} from "@escapement/engine/internal";
import type { InstanceView } from "@escapement/engine";
import type { FragmentHost } from "../fragment-host.ts";
import { type FragnoRow, readInstance } from "../rows.ts";
import { toDues } from "./create.ts";
import { findInstance, requireInstance } from "./find-instance.ts";
import { type Found, type ServiceScope, toServiceCall } from "./operation.ts";
import { writeOwnStatements } from "./own-statements.ts";
import { assertRewindable, findRewindable, type OfStep } from "./rewind.ts";

interface Forked {
  readonly view: InstanceView;
  /** false: an earlier call with the same key created it. */
  readonly isNew: boolean;
}

export function forkInstance(
  scope: ServiceScope,
  ...[workflowName, id, stepKey, options = {}]: OfStep<IdentifiedFork>
): TxResult<InstanceView> {
  const { host } = scope;
  const request = toRequest(host, workflowName, { id, stepKey, options });
  const { create } = request;
  return toServiceCall(scope, {
    find: (uow) => findInstance(findRewindable(findInstance(uow, request), request), create),
    decide: (found) => decideFork(found, request),
    write: (uow, { isNew }) => {
      if (!isNew) return;
      writeOwnStatements(host, uow, {
        batch: toForkBatch(host.dialect, request),
        isDone: `exists (select 1 from ${INSTANCE} where "id" = ${host.dialect.param(1)})`,
        parameters: [create.instanceRowId],
      });
    },
    dues: ({ isNew }) => (isNew ? toDues(create) : []),
    answer: ({ view }) => view,
  });
}

function toRequest(
  host: FragmentHost,
  workflowName: string,
  { options, ...step }: Parameters<typeof describeFork>[2],
): ForkRequest {
  const workflow = host.find(workflowName);
  const params =
    options.params === undefined
      ? undefined
      : validateNow(workflow.schema, options.params, paramsOf(workflow));
  return describeFork(host.context, workflow, { ...step, options: { ...options, params } });
}

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, INSTANCE_ID_ALREADY_EXISTS, IDEMPOTENCY_KEY_CONFLICT, and like a rewind */
function decideFork(
  [instances, steps = [], loops = [], taken = []]: Found,
  request: ForkRequest,
): Forked {
  const [existing] = taken;
  const isOurs = existing?.id.externalId === request.create.instanceRowId;
  if (existing !== undefined && isOurs)
    return { view: told(existing, request, "created"), isNew: false };
  const { record } = requireInstance(instances, request);
  assertRewindable(record, [steps, loops], request);
  if (existing !== undefined) told(existing, request, "exists");
  const { instanceId, runNumber } = record;
  const forkedFrom = { instanceId, runNumber, stepKey: request.stepKey };
  const details = { status: "queued", runNumber: 1, forkedFrom } as const;
  return { view: { id: request.create.instanceId, details }, isNew: true };
}

/** @throws {WorkflowError} the row is not what an earlier call of this fork has written */
function told(row: FragnoRow, request: ForkRequest, kind: "created" | "exists"): InstanceView {
  const instance: InstanceRecord = readInstance(row);
  return toInstanceView(assertForked({ kind, instance }, request).instance);
}

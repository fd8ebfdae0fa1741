/** Creates an instance, or restarts the one that has the id, in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  assertSameCreate,
  type EpochMs,
  type InstanceRecord,
  type NewInstance,
  parseRestartOrCreate,
  type RestartOrCreateInput,
  type RestartOrCreateOutput,
  toInstanceView,
  toRestartOrCreateBatch,
} from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import { type Change, type Decided, decideChange, type Demand, writeChange } from "./control.ts";
import { announce, toNewInstance, toNewView, writeInstance } from "./create.ts";
import { findInstance, requireInstance } from "./find-instance.ts";
import {
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  type WriteUow,
} from "./operation.ts";
import { findChildren } from "./relatives.ts";

/** The key of a create is converted to a row id in advance, because that takes a digest. */
export interface IdentifiedRestartOrCreate extends RestartOrCreateInput {
  readonly instanceRowId?: string;
}

type Asked = Demand & Pick<ReturnType<typeof parseRestartOrCreate>, "ifStatus">;

interface State {
  readonly answer: RestartOrCreateOutput;
  /** What to write: a new instance, or a restart; null: nothing. */
  readonly write: "create" | Change | null;
}

export function restartOrCreate(
  scope: ServiceScope,
  workflowName: string,
  { instanceRowId, ifRunNumber, ifStatus, idempotencyKey, ...input }: IdentifiedRestartOrCreate,
): TxResult<RestartOrCreateOutput> {
  const { host } = scope;
  const asking = { ifRunNumber, ifStatus, idempotencyKey, ...input } as RestartOrCreateInput;
  const { id, ...conditions } = parseRestartOrCreate(asking, host.context.limits);
  const asked: Asked = { command: "restartWithNewKeys", ...conditions };
  const rowId = instanceRowId === undefined ? {} : { instanceRowId };
  const create = toNewInstance(host, workflowName, { ...input, id, ...rowId });
  const ref = { workflowName: create.workflowName, instanceId: create.instanceId };
  return toServiceCall(scope, {
    find: (uow) => findChildren(findInstance(uow, ref), ref),
    decide: (found) => decide(found, create, { ...asked, now: host.context.host.now() }),
    write: (uow, state) => write(host, uow, { ...state, create, asked }),
    answer: ({ answer }) => answer,
    committed: (state) => {
      if (state.write !== null) announce(host, create);
    },
  });
}

function decide(
  found: Found,
  create: NewInstance,
  asked: Asked & { readonly now: EpochMs },
): State {
  const [instances] = found;
  if (instances?.[0] === undefined)
    return { answer: { ...toNewView(create), outcome: "created" }, write: "create" };
  const { row, record } = requireInstance(instances, create);
  const view = toInstanceView(record);
  if (row.id.externalId === create.instanceRowId) {
    if (record.runNumber === 1) assertSameCreate(record, create);
    return { answer: { ...view, outcome: "created" }, write: null };
  }
  const { controlKey, ifRunNumber, ifStatus } = asked;
  if (controlKey !== null && row["controlKey"] === controlKey)
    return { answer: { ...view, outcome: "restarted" }, write: null };
  const isOther = ifRunNumber !== null && ifRunNumber !== record.runNumber;
  if (isOther || ifStatus?.includes(record.status) === false)
    return { answer: { ...view, outcome: "unchanged" }, write: null };
  const change = decideChange(found, create, asked);
  const after = { ...change.after, ...toShown(create) };
  return { answer: { ...toInstanceView(after), outcome: "restarted" }, write: change };
}

function write(
  host: FragmentHost,
  uow: WriteUow,
  state: State & { readonly create: NewInstance; readonly asked: Asked },
): void {
  const { write: change, create, asked } = state;
  if (change === null) return;
  if (change === "create")
    return writeInstance(host, uow, { instance: create, wasLookedFor: true });
  // Any status can be restarted.
  const { workflowName, instanceId, deadline } = create;
  const request = { ...asked, create, taskRowId: host.context.host.newId() };
  const batch = toRestartOrCreateBatch(host.texts, request);
  writeChange(host, uow, { ...(change as Decided), command: asked.command }, batch);
  fileHook(host, uow, { workflowName, instanceId, reason: "create" });
  if (deadline) fileHook(host, uow, { workflowName, instanceId, reason: "wake" }, deadline);
}

/** The new run's details as the answer shows them. There is no deadline, because the database computes its instant. */
const toShown = ({ deadline, tags, memo }: NewInstance): Partial<InstanceRecord> => ({
  ...(deadline === undefined ? {} : { deadlineAt: null }),
  ...(tags === undefined ? {} : { tags }),
  ...(memo === undefined ? {} : { memo }),
});

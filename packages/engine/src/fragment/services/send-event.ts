/** Sending an event in anybody's transaction, with the meaning of the store's `sendEvent`. */
import type { TxResult } from "@fragno-dev/db";
import { validateNow } from "../../authoring/validate.ts";
import { parseEventType } from "../../core/limits.ts";
import type { InstanceRef } from "../../core/model/instance-key.ts";
import type { JsonText } from "../../core/model/records.ts";
import { isTerminal } from "../../core/model/status.ts";
import { encodePayload, payloadOf, payloadSchema, terminal } from "../../host/manage.ts";
import { toInstanceView } from "../../host/views.ts";
import type { InstanceStatus } from "../../ports/service.ts";
import type { FragmentHost } from "../fragment-host.ts";
import type { FragnoRow } from "../rows.ts";
import {
  findInstance,
  findTasks,
  type FoundInstance,
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

export interface EventInput {
  readonly type: string;
  readonly payload?: unknown;
}

interface Delivery extends FoundInstance {
  readonly task: FragnoRow | null;
  /** The task is due already, and keeps its time. */
  readonly isDue: boolean;
  /** An open wait asks for the event: the task is made due. */
  readonly wakes: boolean;
}

export function sendEvent(
  scope: ServiceScope,
  ref: InstanceRef,
  event: EventInput,
): TxResult<InstanceStatus> {
  const { host } = scope;
  const parsed = parseRef(host, ref.workflowName, ref.instanceId);
  const type = parseEventType(event.type, host.context.limits);
  const payload = toPayload(host, parsed.workflowName, { type, payload: event.payload });
  return toServiceCall(scope, {
    find: (uow) => findDelivery(host, uow, { ...parsed, type }),
    decide: (found): Delivery => decideDelivery(found, parsed),
    write: (uow, delivery) => writeEvent(host, uow, { delivery, type, payload }),
    answer: ({ record }) => toInstanceView(record).details,
    committed: ({ wakes }) => {
      if (wakes) wake(host, { ...parsed, reason: "event" });
    },
  });
}

function toPayload(host: FragmentHost, workflowName: string, event: EventInput): JsonText | null {
  const workflow = host.find(workflowName);
  const schema = payloadSchema(host.context, workflow, event.type);
  validateNow(schema, event.payload, payloadOf(workflow, event.type));
  return encodePayload(host.context.limits, { type: event.type, payload: event.payload });
}

function findDelivery(
  { sql }: FragmentHost,
  uow: WriteUow,
  { type, ...ref }: InstanceRef & { readonly type: string },
): WriteUow {
  const { workflowName, instanceId } = ref;
  return findTasks(findInstance(uow, ref), ref)
    .find("workflow_task", (find) =>
      find.whereIndex("unique_run", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runAt", "<=", sql.clock()),
        ),
      ),
    )
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("status", "=", "waiting"),
          is("waitEventType", "=", type),
          is.or(is.isNull("wakeAt"), is("wakeAt", ">", sql.clock())),
        ),
      ),
    ) as unknown as WriteUow;
}

function decideDelivery(
  [instances, tasks = [], dueTasks = [], waits = []]: Found,
  ref: InstanceRef,
): Delivery {
  const { row, record } = requireInstance(instances, ref);
  if (isTerminal(record.status)) throw terminal(record);
  const isOfRun = (other: FragnoRow): boolean => other["runNumber"] === record.runNumber;
  const task = tasks.find(isOfRun) ?? null;
  const wakes =
    record.status === "waiting" && task?.["status"] === "pending" && waits.some(isOfRun);
  return { row, record, task, isDue: dueTasks.some(isOfRun), wakes };
}

/** The task first, then the instance, as everywhere: both are held, so that no commit of a runner comes between. */
function writeEvent(
  host: FragmentHost,
  uow: WriteUow,
  {
    delivery,
    type,
    payload,
  }: { readonly delivery: Delivery; readonly type: string; readonly payload: JsonText | null },
): void {
  const { row, record, task, wakes, isDue } = delivery;
  const { workflowName, instanceId, runNumber } = record;
  const now = host.sql.clock();
  const woken = { kind: "wake", priority: 0, ...(isDue ? {} : { runAt: now }) };
  if (task !== null) {
    const set = { ...(wakes ? woken : {}), updatedAt: now };
    uow.update("workflow_task", task.id, (update) => update.set(set).check());
  }
  uow.update("workflow_instance", row.id, (update) =>
    update.set({ pauseRequested: record.pauseRequested }).check(),
  );
  uow.create("workflow_event", {
    id: host.context.host.newId(),
    workflowName,
    instanceId,
    runNumber,
    type,
    payload,
    createdAt: now,
  });
  if (wakes) fileHook(host, uow, { workflowName, instanceId, reason: "event" });
}

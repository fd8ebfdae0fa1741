/** Reads what decides about an event: the run and its tasks, waits that ask for it, what it holds, an earlier one of its id. */
import { type CallbackRef, enclosingKeys, type InstanceRef } from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import { currentRun, findInstance, findTasks } from "./find-instance.ts";
import type { WriteUow } from "./operation.ts";
import type { NewEvent } from "./decide-delivery.ts";

/** All that decides about an event but the one wait that it may be for. */
export function findDelivery(
  host: FragmentHost,
  uow: WriteUow,
  event: InstanceRef & NewEvent,
): WriteUow {
  const { sql } = host;
  const { workflowName, instanceId, type } = event;
  const found = findTasks(findInstance(uow, event), event)
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
          // Of a wait for several types it is a part; `asksFor` tells it from a part of another type.
          is.or(is("waitEventType", "=", type), is("waitEventType", "contains", type)),
          is.or(is.isNull("wakeAt"), is("wakeAt", ">", sql.clock())),
        ),
      ),
    ) as unknown as WriteUow;
  const held = findUndelivered(host, found, event);
  return event.eventId === null ? held : findRepeat(held, { ...event, eventId: event.eventId });
}

/** Sizes of what the run holds; one more than it may hold is enough to know. */
const findUndelivered = (
  { context }: FragmentHost,
  uow: WriteUow,
  { workflowName, instanceId }: InstanceRef,
): WriteUow =>
  uow.find("workflow_event", (find) =>
    find
      .whereIndex("idx_history", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", currentRun({ workflowName, instanceId })),
          is.isNull("deliveredAt"),
        ),
      )
      .select(["id", "sizeBytes"])
      .pageSize(context.limits.maxUndeliveredEvents),
  ) as unknown as WriteUow;

const findRepeat = (
  uow: WriteUow,
  { workflowName, instanceId, eventId }: InstanceRef & { readonly eventId: string },
): WriteUow =>
  uow.find("workflow_event", (find) =>
    find.whereIndex("idx_history", (is) =>
      is.and(
        is("workflowName", "=", workflowName),
        is("instanceId", "=", instanceId),
        is("runNumber", "=", currentRun({ workflowName, instanceId })),
        is("eventId", "=", eventId),
      ),
    ),
  ) as unknown as WriteUow;

/** The wait itself if it takes an event no more, and the scopes around it. */
export const findTarget = (
  { sql }: FragmentHost,
  uow: WriteUow,
  { workflowName, instanceId, runNumber, stepKey }: CallbackRef,
): WriteUow =>
  uow
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", runNumber),
          is("stepKey", "=", stepKey),
          is.or(is("status", "!=", "waiting"), is("wakeAt", "<=", sql.clock())),
        ),
      ),
    )
    .find("workflow_step", (find) =>
      find.whereIndex("unique_step", (is) =>
        is.and(
          is("workflowName", "=", workflowName),
          is("instanceId", "=", instanceId),
          is("runNumber", "=", runNumber),
          is("stepKey", "in", ["", ...enclosingKeys(stepKey)]),
        ),
      ),
    ) as unknown as WriteUow;

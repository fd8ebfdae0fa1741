/** Reads the facts that decide about an event: the run, waits that ask for it, the run's events, an earlier event with its id. */
import { type CallbackRef, enclosingKeys, type InstanceRef } from "@escapement/engine/internal";
import type { FragmentHost } from "../fragment-host.ts";
import { currentRun, findEvent, findInstance, findOf } from "./find-instance.ts";
import type { WriteUow } from "./operation.ts";
import type { NewEvent } from "./decide-delivery.ts";

/** All facts that decide about an event, except the one wait that it may be for. */
export function findDelivery(
  host: FragmentHost,
  uow: WriteUow,
  event: InstanceRef & NewEvent,
): WriteUow {
  const { clock } = host.sql;
  const waits = findOf(findInstance(uow, event), "workflow_step", event, {
    by: "unique_step",
    where: (is) => [
      is("status", "=", "waiting"),
      // A wait for several types contains it; `asksFor` tells it from a part of another type.
      is.or(is("waitEventType", "=", event.type), is("waitEventType", "contains", event.type)),
      is.or(is.isNull("wakeAt"), is("wakeAt", ">", clock())),
    ],
  });
  const found = findUndelivered(host, waits, event);
  return event.eventId === null ? found : findEvent(found, event, event.eventId);
}

/** The sizes of the run's events; one more than its limit is enough to know. */
const findUndelivered = ({ context }: FragmentHost, uow: WriteUow, ref: InstanceRef): WriteUow =>
  findOf(uow, "workflow_event", ref, {
    by: "idx_history",
    where: (is) => [is("runNumber", "=", currentRun(ref)), is.isNull("deliveredAt")],
    refine: (find) =>
      find.select(["id", "sizeBytes"] as never).pageSize(context.limits.maxUndeliveredEvents),
  });

/** The wait itself, if it no longer accepts an event, and the scopes around it. */
export function findTarget({ sql }: FragmentHost, uow: WriteUow, ref: CallbackRef): WriteUow {
  const { runNumber, stepKey } = ref;
  const ended = findOf(uow, "workflow_step", ref, {
    by: "unique_step",
    where: (is) => [
      is("runNumber", "=", runNumber),
      is("stepKey", "=", stepKey),
      is.or(is("status", "!=", "waiting"), is("wakeAt", "<=", sql.clock())),
    ],
  });
  return findOf(ended, "workflow_step", ref, {
    by: "unique_step",
    where: (is) => [
      is("runNumber", "=", runNumber),
      is("stepKey", "in", ["", ...enclosingKeys(stepKey)]),
    ],
  });
}

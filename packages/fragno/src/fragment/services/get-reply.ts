/** Reading the reply to an event in anybody's transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  type InstanceRef,
  isTerminal,
  parseIdempotencyKey,
  type ReplyOutput,
  toReplyOutput,
} from "@escapement/engine/internal";
import { currentRun, findInstance, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";

/** An event of the present run, by its sender's own id. */
interface EventRef extends InstanceRef {
  readonly eventId: string;
}

/** The reply as it is: nothing is waited for inside a transaction. */
export function getReply(scope: ServiceScope, ref: EventRef): TxResult<ReplyOutput> {
  const parsed = parseRef(scope.host, ref.workflowName, ref.instanceId);
  const event = { ...parsed, eventId: parseIdempotencyKey(ref.eventId) };
  return toServiceCall(scope, {
    find: (uow) => findEvent(findInstance(uow, parsed), event),
    decide: ([instances, events]) => {
      const row = events?.[0];
      const { status } = requireInstance(instances, parsed).record;
      const reply = (row?.["reply"] ?? null) as string | null;
      if (row === undefined) return toReplyOutput({ ...event, found: { kind: "eventNotFound" } });
      if (reply !== null) return toReplyOutput({ ...event, found: { kind: "answered", reply } });
      const kind = isTerminal(status) ? "unanswered" : "open";
      return toReplyOutput({ ...event, found: { kind, status } });
    },
    answer: (reply) => reply,
  });
}

const findEvent = (uow: WriteUow, { eventId, ...ref }: EventRef): WriteUow =>
  uow.find("workflow_event", (find) =>
    find.whereIndex("idx_history", (is) =>
      is.and(
        is("workflowName", "=", ref.workflowName),
        is("instanceId", "=", ref.instanceId),
        is("runNumber", "=", currentRun(ref)),
        is("eventId", "=", eventId),
      ),
    ),
  ) as unknown as WriteUow;

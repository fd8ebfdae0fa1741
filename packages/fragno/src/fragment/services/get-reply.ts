/** Reads the reply to an event in any transaction. */
import type { TxResult } from "@fragno-dev/db";
import {
  isTerminal,
  parseIdempotencyKey,
  type ReplyOutput,
  toReplyOutput,
} from "@escapement/engine/internal";
import { findEvent, findInstance, parseRef, requireInstance } from "./find-instance.ts";
import { type ServiceScope, toServiceCall } from "./operation.ts";

/** The current reply: a transaction does not wait for one. */
export function getReply(
  scope: ServiceScope,
  workflowName: string,
  instanceId: string,
  id: string,
): TxResult<ReplyOutput> {
  const parsed = parseRef(scope.host, workflowName, instanceId);
  const event = { ...parsed, eventId: parseIdempotencyKey(id) };
  return toServiceCall(scope, {
    find: (uow) => findEvent(findInstance(uow, parsed), parsed, event.eventId),
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

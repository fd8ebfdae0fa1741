/** The reply to an event. */
import { instanceKey } from "../../core/model/instance-key.ts";
import { isTerminal } from "../../core/model/status.ts";
import type { LoadReplyRequest, LoadReplyResult } from "../../ports/reply.ts";
import { type MemoryState, runKey } from "./state.ts";

export function loadReply(state: MemoryState, request: LoadReplyRequest): LoadReplyResult {
  const instance = state.instances.get(instanceKey(request));
  if (instance === undefined) return { kind: "notFound" };
  const runNumber = request.runNumber ?? instance.runNumber;
  const events = state.events.get(runKey({ ...request, runNumber })) ?? [];
  const event = events.find(({ eventId }) => eventId === request.eventId);
  if (event === undefined) return { kind: "eventNotFound" };
  if (event.reply !== null) return { kind: "answered", reply: event.reply };
  const hasEnded = runNumber !== instance.runNumber || isTerminal(instance.status);
  return { kind: hasEnded ? "unanswered" : "open", status: instance.status };
}

/** Reads the reply to an event, or waits for it. */
import type { GetReplyOptions, ReplyOutput } from "../ports/event-inputs.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { fromReplyText } from "../core/event-reply.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import { parseIdempotencyKey, parseInstanceId } from "../core/request-ids.ts";
import type { LoadReplyRequest, LoadReplyResult } from "../ports/reply.ts";
import { repliesOf } from "../run/event-replies.ts";
import type { HostContext } from "./context.ts";
import { parseRunNumber, parseWaitMs } from "./fields.ts";
import { eventNotAnswered, eventNotFound, notFound } from "./refusals.ts";
import { pollUntil, type Wait } from "./waiting.ts";

const REPLY_OPTIONS: Readonly<Record<keyof GetReplyOptions, 1>> = {
  waitMs: 1,
  runNumber: 1,
  signal: 1,
};

/** @throws as `EngineService.getReply` */
export async function getReply(
  context: HostContext,
  { name: workflowName }: RegisteredWorkflow,
  asked: {
    readonly id: string;
    readonly eventId: string;
    readonly options: GetReplyOptions | undefined;
  },
): Promise<ReplyOutput> {
  const { waitMs = 0, runNumber, signal } = asked.options ?? {};
  assertKnownOptions("getReply", asked.options, REPLY_OPTIONS);
  const request: LoadReplyRequest = {
    workflowName,
    instanceId: parseInstanceId(asked.id, context.limits),
    eventId: parseIdempotencyKey(asked.eventId),
    runNumber: runNumber === undefined ? null : parseRunNumber(runNumber),
  };
  const found = await awaitReply(context, request, { timeoutMs: parseWaitMs(waitMs), signal });
  return toReplyOutput({ ...request, found });
}

/** @throws {WorkflowError} INSTANCE_NOT_FOUND, EVENT_NOT_FOUND, EVENT_NOT_ANSWERED */
export function toReplyOutput({
  found,
  eventId,
  ...ref
}: InstanceRef & { readonly eventId: string; readonly found: LoadReplyResult }): ReplyOutput {
  switch (found.kind) {
    case "answered":
      return { answered: true, reply: fromReplyText(found.reply) };
    case "open":
      return { answered: false };
    case "notFound":
      throw notFound(ref);
    case "eventNotFound":
      throw eventNotFound(ref, eventId);
    case "unanswered":
      throw eventNotAnswered(ref, { eventId, status: found.status });
  }
}

/** Waits for the reply. @returns what was seen last */
const awaitReply = (
  context: HostContext,
  request: LoadReplyRequest,
  wait: Pick<Wait<LoadReplyResult>, "timeoutMs" | "signal">,
): Promise<LoadReplyResult> =>
  pollUntil(context, {
    ...wait,
    ref: request,
    read: () => context.store.loadReply(request),
    isOver: ({ kind }) => kind !== "open",
    newsOf: ({ known, milestones }) => [
      repliesOf(known).whenReplied(request.eventId),
      milestones.ended,
    ],
  });

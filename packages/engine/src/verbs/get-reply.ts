/** The reply to an event: read, or waited for. */
import type { GetReplyOptions, ReplyOutput } from "../ports/event-inputs.ts";
import type { RegisteredWorkflow } from "../authoring/registry.ts";
import { fromReplyText } from "../core/event-reply.ts";
import { assertKnownOptions } from "../core/known-names.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { DurationMs } from "../core/model/records.ts";
import { parseIdempotencyKey, parseInstanceId } from "../core/request-ids.ts";
import type { LoadReplyRequest, LoadReplyResult } from "../ports/reply.ts";
import { repliesOf } from "../run/event-replies.ts";
import { findSession, FIRST_PAUSE, LONGEST_PAUSE } from "./await-result.ts";
import type { HostContext } from "./context.ts";
import { parseRunNumber, parseWaitMs } from "./fields.ts";
import { eventNotAnswered, eventNotFound, notFound } from "./refusals.ts";

const REPLY_OPTIONS: Readonly<Record<keyof GetReplyOptions, 1>> = { waitMs: 1, runNumber: 1 };

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
  const { waitMs = 0, runNumber } = asked.options ?? {};
  assertKnownOptions("getReply", asked.options, REPLY_OPTIONS);
  const request: LoadReplyRequest = {
    workflowName,
    instanceId: parseInstanceId(asked.id, context.limits),
    eventId: parseIdempotencyKey(asked.eventId),
    runNumber: runNumber === undefined ? null : parseRunNumber(runNumber),
  };
  const found = await awaitReply(context, request, parseWaitMs(waitMs));
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

/**
 * As it was last seen. While a session of this process advances the run, it tells when a reply is committed; what other
 * processes run is looked at again and again, at first often, in the end once a second.
 */
async function awaitReply(
  context: HostContext,
  request: LoadReplyRequest,
  timeoutMs: DurationMs,
): Promise<LoadReplyResult> {
  const { elapsedMs } = context.host;
  const startedAt = elapsedMs();
  for (let pauseMs = FIRST_PAUSE; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE)) {
    const here = findSession(context, request);
    // Before the look: a reply that is committed after it is not missed.
    const news = here && [
      repliesOf(here.known).whenReplied(request.eventId),
      here.milestones.ended,
    ];
    const found = await context.store.loadReply(request);
    const leftMs = timeoutMs - (elapsedMs() - startedAt);
    if (found.kind !== "open" || leftMs <= 0) return found;
    await pause(context, news === undefined ? Math.min(pauseMs, leftMs) : leftMs, news);
  }
}

/** So long, or until one of these happens. */
export function pause(
  { host }: HostContext,
  limitMs: DurationMs,
  news: readonly Promise<unknown>[] = [],
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = host.setTimer(limitMs, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    for (const one of news) void one.then(end);
  });
}

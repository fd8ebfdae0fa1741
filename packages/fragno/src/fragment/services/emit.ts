/** Emits a message to a topic in any transaction, by the store's own statements. The next tick delivers it, after the commit. */
import type { TxResult } from "@fragno-dev/db";
import type { WorkflowError } from "@escapement/engine";
import {
  describeMessage,
  type EmitInput,
  type EmitOutput,
  MESSAGE,
  messageIdConflict,
  toEmitBatch,
  toMostMessages,
  TOPIC,
  TOPIC_WAIT,
  topicLimit,
  type TopicRef,
} from "@escapement/engine/internal";
import { sqlExpression } from "../../adapter/sql-expression.ts";
import { findRows, only } from "./find-instance.ts";
import { type Found, type ServiceScope, toServiceCall, type WriteUow } from "./operation.ts";
import { queuedMarks, writeOwnStatements } from "./own-statements.ts";

interface Emitted {
  /** What an earlier call in the same transaction emits is noticed when both are written. */
  readonly output: EmitOutput & { duplicate: boolean };
  /** How many more messages the topic accepts. */
  readonly free: number;
  /** The error if it accepts no more. */
  readonly refusal: WorkflowError;
}

type Request = ReturnType<typeof describeMessage>;

export function emit(
  scope: ServiceScope,
  topic: TopicRef,
  payload?: unknown,
  options: EmitInput = {},
): TxResult<EmitOutput> {
  const { host } = scope;
  const { context, dialect } = host;
  const request = describeMessage(context, { topic, payload, options });
  const { topic: instanceId } = request;
  const due = { workflowName: "", instanceId, reason: "event", start: null } as const;
  return toServiceCall(scope, {
    find: (uow) => findMessages(uow, request),
    decide: (found) => decideEmit(found, request, context.limits.maxTopicMessages),
    write: (uow, emitted) => {
      countQueued(queuedMarks(uow), emitted, request);
      if (emitted.output.duplicate) return;
      // Each try of a transaction creates its own message.
      const messageRowId = context.host.newId();
      writeOwnStatements(host, uow, {
        batch: toEmitBatch(dialect, { ...request, messageRowId }),
        isDone: `exists (select 1 from ${MESSAGE} where "id" = ${dialect.param(1)})`,
        parameters: [messageRowId],
        mark: request,
      });
    },
    dues: ({ output }) => (output.duplicate ? [] : [due]),
    answer: ({ output }) => output,
  });
}

/** Queues the reads: how many messages waits have not received yet, and those with this id. */
function findMessages(uow: WriteUow, { topic, messageId }: Request): WriteUow {
  const least = sqlExpression(
    [
      `coalesce((select min(w."sequence") from ${TOPIC_WAIT} as w where w."topic" = `,
      `), (select o."sequence" from ${TOPIC} as o where o."name" = `,
      `), 0)`,
    ],
    topic,
    topic,
  );
  const counted = findRows(uow, "workflow_message", {
    by: "unique_sequence",
    where: (is) => [is("topic", "=", topic), is("sequence", ">", least)],
    refine: (find) => find.selectCount(),
  });
  if (messageId === null) return counted;
  return findRows(counted, "workflow_message", {
    by: "unique_sequence",
    where: (is) => [is("topic", "=", topic), is("messageId", "=", messageId)],
    refine: only("message"),
  });
}

/** @throws {WorkflowError} EVENT_ID_CONFLICT, TOPIC_LIMIT */
function decideEmit(
  [count, same = []]: Found,
  request: Request,
  maxTopicMessages: number,
): Emitted {
  const [known] = same;
  const {
    topic,
    message,
    retention: { maxCount },
  } = request;
  // A count is a number in place of rows.
  const free = toMostMessages(maxCount) - Number(count);
  const refusal = topicLimit(topic, maxTopicMessages);
  const duplicate = known !== undefined;
  if (duplicate && known["message"] !== message) throw messageIdConflict(request);
  if (!duplicate && free <= 0) throw refusal;
  return { output: { duplicate, delivered: 0 }, free, refusal };
}

/** Earlier calls in the same transaction count as messages of the topic. @throws {WorkflowError} EVENT_ID_CONFLICT, TOPIC_LIMIT */
function countQueued(marks: readonly object[], emitted: Emitted, request: Request): void {
  const { topic, messageId, message } = request;
  const queued = (marks as readonly Request[]).filter((other) => other.topic === topic);
  const { output, free, refusal } = emitted;
  const known =
    messageId === null ? undefined : queued.find((other) => other.messageId === messageId);
  if (known !== undefined && known.message !== message) throw messageIdConflict(request);
  output.duplicate ||= known !== undefined;
  if (!output.duplicate && queued.length >= free) throw refusal;
}

/** A message to a topic in anybody's transaction, by the store's own statements. Whoever ticks hands it on, after the commit. */
import type { TxResult } from "@fragno-dev/db";
import {
  describeMessage,
  type EmitInput,
  type EmitOutput,
  MESSAGE,
  toEmitBatch,
  toMostMessages,
  TOPIC,
  TOPIC_WAIT,
  topicLimit,
  type TopicRef,
} from "@escapement/engine/internal";
import { sqlExpression } from "../../adapter/sql-expression.ts";
import {
  fileHook,
  type Found,
  type ServiceScope,
  toServiceCall,
  wake,
  type WriteUow,
} from "./operation.ts";
import { requireOwnStatements, writeOwnStatements } from "./own-statements.ts";

/** What is emitted, and to what. */
interface Emitting {
  readonly topic: TopicRef;
  readonly payload: unknown;
  readonly options: EmitInput;
}

type Request = ReturnType<typeof describeMessage>;

export function emit(scope: ServiceScope, emitting: Emitting): TxResult<EmitOutput> {
  const { host } = scope;
  requireOwnStatements(host);
  const { context, texts } = host;
  const request = describeMessage(context, emitting);
  const enqueued = { workflowName: "", instanceId: request.topic, reason: "event" } as const;
  return toServiceCall(scope, {
    find: (uow) => findMessages(uow, request),
    decide: (found) => decideEmit(found, request, context.limits),
    write: (uow, { duplicate }) => {
      if (duplicate) return;
      // Each try of a transaction is a message of its own.
      const messageRowId = context.host.newId();
      writeOwnStatements(host, uow, {
        batch: toEmitBatch(texts.dialect, { ...request, messageRowId }),
        isDone: `exists (select 1 from ${MESSAGE} where "id" = ${texts.dialect.param(1)})`,
        parameters: [messageRowId],
      });
      fileHook(host, uow, enqueued);
    },
    answer: (output) => output,
    committed: ({ duplicate }) => {
      if (!duplicate) wake(host, enqueued);
    },
  });
}

/** Queues the reads: how many messages waits have yet to get, and those of this one's id. */
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
  const counted = uow.find("workflow_message", (find) =>
    find
      .whereIndex("unique_sequence", (is) =>
        is.and(is("topic", "=", topic), is("sequence", ">", least)),
      )
      .selectCount(),
  ) as unknown as WriteUow;
  if (messageId === null) return counted;
  return counted.find("workflow_message", (find) =>
    find
      .whereIndex("unique_sequence", (is) =>
        is.and(is("topic", "=", topic), is("messageId" as never, "=", messageId)),
      )
      .select(["id"] as never),
  ) as unknown as WriteUow;
}

/** @throws {WorkflowError} TOPIC_LIMIT */
function decideEmit(
  [count, same = []]: Found,
  { topic, retention: { maxCount } }: Request,
  { maxTopicMessages }: { readonly maxTopicMessages: number },
): EmitOutput {
  const duplicate = same.length > 0;
  // A count is a number where rows would be.
  const isFull = Number(count) >= toMostMessages(maxCount);
  if (!duplicate && isFull) throw topicLimit(topic, maxTopicMessages);
  return { duplicate, delivered: 0 };
}

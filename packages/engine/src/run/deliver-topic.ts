/** @module Hands a topic's messages on, chunk by chunk. Loaded by the first emit, or by a claim of what another left undone. */
import { toLogFields } from "../core/errors.ts";
import type { DeliverResult, DueWait, TopicStore } from "../ports/topics.ts";
import type { Budget } from "./budget.ts";
import type { Session } from "./session.ts";

/** UTF-8 bytes of messages that one trip copies to waits, unless a single one is larger. */
const TOPIC_CHUNK_BYTES = 8_388_608;

/** What is to be handed on. */
export interface Handing {
  readonly topic: string;
  /** Sequence of the last message that is. */
  readonly upTo: number;
  /** The first chunk; none: look for it. */
  readonly due: readonly DueWait[];
  /** Told after each chunk of runs that came due, and of how many waits it had. */
  readonly onChunk: (woke: DeliverResult["woke"], count: number) => void;
  /** Whoever is left is handed theirs by another. @default it goes on to the end */
  readonly isOver?: () => boolean;
}

/** One trip a chunk. @throws {WorkflowError} STORE_UNAVAILABLE */
export async function deliverMessages(
  store: Pick<TopicStore, "deliver">,
  { topic, upTo, due: first, onChunk, isOver = () => false }: Handing,
): Promise<void> {
  for (let due = first; ;) {
    const waitIds = toChunk(due);
    const result = await store.deliver({ topic, waitIds, upTo });
    onChunk(result.woke, waitIds.length);
    ({ due } = result);
    const [next] = due;
    // What was handed its message is never due again.
    if (next === undefined || waitIds.includes(next.id) || isOver()) return;
  }
}

/** As many as a trip may copy messages for; one at least. */
function toChunk(due: readonly DueWait[]): readonly string[] {
  let bytes = 0;
  const chunk: string[] = [];
  for (const { id, sizeBytes } of due) {
    bytes += sizeBytes;
    if (chunk.length > 0 && bytes > TOPIC_CHUNK_BYTES) break;
    chunk.push(id);
  }
  return chunk;
}

/** A session that a claim has begun for what another has left undone. It gives the task back, unless it is gone. */
export async function deliverRest(session: Session, budget: Budget): Promise<void> {
  const isOver = (): boolean => session.isStopping || !budget.hasTime();
  if (isOver()) return session.interrupt();
  const { context, claimed } = session;
  const { instanceId: topic, runNumber: upTo } = claimed.run;
  const onChunk = (): void => context.noteDue(claimed.run);
  try {
    await deliverMessages(context.store, { topic, upTo, due: [], onChunk, isOver });
  } catch (error) {
    context.logger.log("warn", "topic.undelivered", { topic, ...toLogFields(error) });
  }
  session.interrupt();
}

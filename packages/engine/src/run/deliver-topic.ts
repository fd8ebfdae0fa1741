/** @module Delivers a topic's messages, chunk by chunk. Loaded by the first emit, or by a claim of a delivery that another process left. */
import { toLogFields } from "../core/errors.ts";
import type { DeliverResult, DueWait, TopicStore } from "../ports/topics.ts";
import type { Budget } from "./budget.ts";
import type { Session } from "./session-interface.ts";

/** UTF-8 bytes of messages that one trip copies to waits, unless a single one is larger. */
const TOPIC_CHUNK_BYTES = 8_388_608;

/** Messages to deliver. */
export interface Handing {
  readonly topic: string;
  /** The sequence of the last message to deliver. */
  readonly upTo: number;
  /** The first chunk of waits; empty: find it. */
  readonly due: readonly DueWait[];
  /** Called after each chunk with the runs that became due, and the number of its waits. */
  readonly onChunk: (woke: DeliverResult["woke"], count: number) => void;
  /** Whether to stop and leave the rest to another process. @default deliver to the end */
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
    // A wait that has its message is never due again.
    if (next === undefined || waitIds.includes(next.id) || isOver()) return;
  }
}

/** As many waits as one trip may copy messages for; at least one. */
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

/** Runs a session that was claimed for a delivery that another process left. It releases the task, unless the task is gone. */
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

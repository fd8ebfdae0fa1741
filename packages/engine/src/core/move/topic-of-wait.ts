/** Waits for messages, as rows describe them. */
import type { StepRecord } from "../model/records.ts";
import { toTopicEvent } from "../topic-event.ts";

/** The topic that an open step waits for; null: none. */
export function topicOfWait({
  type,
  status,
  waitEventType,
}: Pick<StepRecord, "type" | "status" | "waitEventType">): string | null {
  if (type !== "waitForTopic" || status !== "waiting" || waitEventType === null) return null;
  const prefix = toTopicEvent("");
  return waitEventType.startsWith(prefix) ? waitEventType.slice(prefix.length) : null;
}

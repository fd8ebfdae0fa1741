/** What topics keep. */
import type { Limits } from "./limits.ts";
import type { DurationMs } from "./model/records.ts";

/** What a topic keeps of its messages; what a wait has yet to take is kept beyond that. */
export interface TopicRetention {
  readonly maxCount: number;
  /** UTF-8 bytes of payloads. */
  readonly maxBytes: number;
  readonly maxAgeMs: DurationMs;
}

/** What an engine says of it. */
export const toRetention = (limits: Limits): TopicRetention => ({
  maxCount: limits.maxTopicMessages,
  maxBytes: limits.maxTopicBytes,
  maxAgeMs: limits.maxTopicAgeMs,
});

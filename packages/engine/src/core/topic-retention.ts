/** How much topics keep. */
import type { Limits } from "./limits.ts";
import type { DurationMs } from "./model/records.ts";

/** How many messages a topic keeps, besides those that a wait has not taken yet. */
export interface TopicRetention {
  readonly maxCount: number;
  /** The UTF-8 bytes of payloads. */
  readonly maxBytes: number;
  readonly maxAgeMs: DurationMs;
}

/** The retention that an engine's limits set. */
export const toRetention = (limits: Limits): TopicRetention => ({
  maxCount: limits.maxTopicMessages,
  maxBytes: limits.maxTopicBytes,
  maxAgeMs: limits.maxTopicAgeMs,
});

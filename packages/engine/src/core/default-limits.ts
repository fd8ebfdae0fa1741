/** The default of every limit. Separate from `limits.ts`, because most ticks read few of them. */
import { type Limits, RUN_LIMITS } from "./limits.ts";

const DAY_MS = 86_400_000;
const MIB = 1_048_576;

/** @source founding spec 000 §13 and §6.2 */
export const DEFAULT_LIMITS: Limits = {
  ...RUN_LIMITS,
  maxInstanceIdLength: 100,
  maxEventTypeLength: 100,
  maxParamsBytes: MIB,
  maxEventPayloadBytes: MIB,
  maxUndeliveredEvents: 1000,
  maxUndeliveredEventBytes: 16 * MIB,
  maxTopicMessages: 1000,
  maxTopicBytes: 16 * MIB,
  maxTopicAgeMs: 7 * DAY_MS,
  maxProgressEntries: 10_000,
  maxProgressBytes: 16 * MIB,
  maxProgressEntryBytes: 65_536,
  minEventTimeoutMs: 1000,
  maxEventTimeoutMs: 365 * DAY_MS,
  defaultEventTimeoutMs: DAY_MS,
  maxLostAttempts: 20,
  maxBatchSize: 100,
  maxTags: 16,
  maxTagLength: 64,
  maxMemoBytes: 4096,
};

/** Per engine, because every wait of a run asks for them. */
const merged = new WeakMap<Partial<Limits>, Limits>();

/** Every limit of an engine. @param given `RunLimits`, or an engine's option */
export function toLimits(given: Partial<Limits>): Limits {
  const known = merged.get(given);
  if (known !== undefined) return known;
  const limits = { ...DEFAULT_LIMITS, ...given };
  merged.set(given, limits);
  return limits;
}

/** Progress: entries that a run adds to its instance's stream, for clients that watch it. */
import type { Limits } from "./limits.ts";
import type { EpochMs, JsonText } from "./model/records.ts";

/** One entry of a stream. */
export interface ProgressRecord {
  /** From 1, without a gap, in the order of the commits. */
  readonly sequence: number;
  readonly runNumber: number;
  readonly stepKey: string;
  /** As in `ProgressMade`. */
  readonly attempt: number | null;
  /** Database time of the commit. */
  readonly createdAt: EpochMs;
  readonly value: JsonText;
}

/** How much of its stream an instance keeps; the newest entry is always kept. */
export interface ProgressRetention {
  readonly maxEntries: number;
  /** The UTF-8 bytes of their values. */
  readonly maxBytes: number;
}

/** The retention that an engine's limits set. */
export const toProgressRetention = (limits: Limits): ProgressRetention => ({
  maxEntries: limits.maxProgressEntries,
  maxBytes: limits.maxProgressBytes,
});

/** The UTF-8 bytes of values on one page, unless its first entry is larger. */
export const PROGRESS_PAGE_BYTES = 1_048_576;

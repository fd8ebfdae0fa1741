/** Progress: entries that a run adds to its instance's stream, for whoever watches it. */
import type { Limits } from "./limits.ts";
import type { EpochMs, JsonText } from "./model/records.ts";

/** One entry of a stream. */
export interface ProgressRecord {
  /** From 1, without a gap, in the order of the commits. */
  readonly sequence: number;
  readonly runNumber: number;
  readonly stepKey: string;
  /** As of `ProgressMade`. */
  readonly attempt: number | null;
  /** Database time of the commit. */
  readonly createdAt: EpochMs;
  readonly value: JsonText;
}

/** What an instance keeps of its stream; the newest entry is always kept. */
export interface ProgressRetention {
  readonly maxEntries: number;
  /** UTF-8 bytes of their values. */
  readonly maxBytes: number;
}

/** What an engine says of it. */
export const toProgressRetention = (limits: Limits): ProgressRetention => ({
  maxEntries: limits.maxProgressEntries,
  maxBytes: limits.maxProgressBytes,
});

/** UTF-8 bytes of values that one page has, unless its first entry is larger. */
export const PROGRESS_PAGE_BYTES = 1_048_576;

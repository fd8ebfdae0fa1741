/** What a store keeps of progress: one stream of entries for each instance, over all of its runs. */
import type { EpochMs, JsonText } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

export interface ReadProgressRequest {
  readonly workflowName: string;
  readonly instanceId: string;
  /** Sequence of the entry to go on behind; 0: from the oldest one on. */
  readonly after: number;
  /** 1–1000. */
  readonly limit: number;
}

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

/** A part of a stream. */
export interface ProgressPage {
  /** Of the instance, as it was no later than `newest`: what a run that has ended has made is up to there. */
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  /** Sequence of the newest entry; 0: there is none. */
  readonly newest: number;
  /** The first ones above `after` that are kept, without a gap; as many as asked for and `PROGRESS_PAGE_BYTES` of values, one at least. */
  readonly entries: readonly ProgressRecord[];
}

/** Streams of a store. */
export interface ProgressStore {
  /** null: there is no such instance. One trip. */
  readProgress(request: ReadProgressRequest): Promise<ProgressPage | null>;
}

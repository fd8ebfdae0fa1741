/** What a store keeps of progress: one stream of entries for each instance, over all of its runs. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { ProgressRecord } from "../core/progress.ts";

export interface ReadProgressRequest extends InstanceRef {
  /** Sequence of the entry to go on behind; 0: from the oldest one on. */
  readonly after: number;
  /** 1–1000. */
  readonly limit: number;
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

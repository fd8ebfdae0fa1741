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
  /** The status of the instance, read no later than `newest`. So if the run has ended, all of its entries are up to `newest`. */
  readonly status: InstanceStatusName;
  readonly runNumber: number;
  /** The sequence of the newest entry; 0: there is none. */
  readonly newest: number;
  /** The first kept entries above `after`, without gaps: as many as asked for and at most `PROGRESS_PAGE_BYTES` of values, but at least one. */
  readonly entries: readonly ProgressRecord[];
}

/** Reads progress streams. */
export interface ProgressStore {
  /** Reads a page; null: there is no such instance. One trip. */
  readProgress(request: ReadProgressRequest): Promise<ProgressPage | null>;
}

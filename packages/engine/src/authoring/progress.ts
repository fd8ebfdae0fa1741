/** Progress: what a run tells while it is on its way, and what whoever watches it reads. */
import type { ProgressView } from "../ports/progress-service.ts";

/** From where a stream is read, and how long. */
export interface StreamOptions {
  /** Sequence of the last entry that the reader has. From 0. @default 0: from the oldest entry on */
  readonly after?: number;
  /** Aborted, the stream throws its reason. */
  readonly signal?: AbortSignal;
}

/** One entry of an instance's stream. `T`: of its values, which nothing checks. */
export interface StreamEntry<T = unknown> extends Omit<ProgressView, "timestamp" | "value"> {
  readonly value: T;
  /** When it was committed, database time. */
  readonly timestamp: Date;
}

/** What tells of a run's progress between its steps. */
export interface ProgressSteps {
  /**
   * Adds an entry to the instance's stream (`instance.stream()`), once, however often the code is replayed. It is a step of its
   * own, and costs no trip: the entry is committed with what the run does next, within 200 ms while a body runs.
   *
   * @param value any value that a step may return, within `limits.maxProgressEntryBytes`; undefined is told as null
   * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  progress(value: unknown): Promise<void>;
}

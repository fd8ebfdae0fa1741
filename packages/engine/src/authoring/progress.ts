/** Progress: entries that a run reports while it works, and that others read. */
import type { ProgressView } from "../ports/progress-service.ts";

/** From where to read a stream, and for how long. */
export interface StreamOptions {
  /** The sequence of the last entry that you have, from 0. @default 0: from the oldest entry on */
  readonly after?: number;
  /** Ends the stream, which throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One entry of an instance's stream. `T` is the type of its value, which is not checked. */
export interface StreamEntry<T = unknown> extends Omit<ProgressView, "timestamp" | "value"> {
  readonly value: T;
  /** When it was committed, by the database's clock. */
  readonly timestamp: Date;
}

/** Reports a run's progress between its steps. */
export interface ProgressSteps {
  /**
   * Adds an entry to the instance's stream (`instance.stream()`): `await step.progress({ page: 3, of: 10 })`. It is added once, however
   * often the code is replayed. It is a step, and
   * costs no trip: the entry is committed with what the run does next, within 200 ms while a body runs.
   *
   * @param value any value that a step may return, within `limits.maxProgressEntryBytes` (64 KiB); undefined becomes null
   * @throws {WorkflowError} NOT_SERIALIZABLE, PAYLOAD_TOO_LARGE
   */
  progress(value: unknown): Promise<void>;
}

/** What an engine can be asked about the progress of instances. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

/** Which part of a stream, and how long to wait for it. */
export interface ReadProgressOptions {
  /** Sequence of the last entry that the reader has: the `cursor` of the page before. From 0. @default 0: from the oldest entry on */
  readonly after?: number;
  /** Entries at most, 1–1000; a page has 1 MiB of values at most, or one entry. @default 100 */
  readonly limit?: number;
  /** Milliseconds to wait at most for an entry, or for the end of the instance. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
  /** Aborted, it ends the wait. */
  readonly signal?: AbortSignal;
}

/** One entry of an instance's stream, by `step.progress` or by the `ctx.progress` of a step's body. */
export interface ProgressView {
  /** From 1, without a gap over all runs of the instance. */
  readonly sequence: number;
  readonly value: unknown;
  /** When it was committed, database time. */
  readonly timestamp: EpochMs;
  /** Key of the step whose body it is of, or that it is itself. */
  readonly step: string;
  /** Attempt of that body, from 1; null: it was made between steps. */
  readonly attempt: number | null;
  readonly runNumber: number;
}

/** A page of a stream. */
export interface ReadProgressOutput {
  readonly entries: readonly ProgressView[];
  /** What to go on after: the sequence of the last entry, or `after`. */
  readonly cursor: number;
  /** Entries between `after` and the first one of the page, which the stream does not keep any more. */
  readonly missed: number;
  /** The instance has ended, and nothing is left behind `cursor`. A restart goes on with the same stream. */
  readonly ended: boolean;
}

/** Reading what instances tell of their progress. */
export interface ProgressService {
  /**
   * The next entries of an instance's stream. Going on after the last one seen loses nothing that is kept and gives nothing
   * twice, whoever runs the instance. One trip, and one for each look while it waits.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  readProgress(
    workflowName: string,
    instanceId: string,
    options?: ReadProgressOptions,
  ): Promise<ReadProgressOutput>;
}

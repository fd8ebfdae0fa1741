/** What an engine can be asked about the progress of instances. */
import type { DurationMs, EpochMs } from "../core/model/records.ts";

/** Which part of a stream to read, and how long to wait for it. */
export interface ReadProgressOptions {
  /**
   * The sequence of the last entry that you have, which is the `cursor` of the page before. From 0. @default 0: from the
   * oldest entry on
   */
  readonly after?: number;
  /** The most entries to read, 1–1000. A page has at most 1 MiB of values, or one entry. @default 100 */
  readonly limit?: number;
  /** How long to wait for an entry, or for the end of the instance, in milliseconds. 0–20000. @default 0 */
  readonly waitMs?: DurationMs;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
}

/** One entry of an instance's stream, from `step.progress` or `context.progress`. */
export interface ProgressView {
  /** From 1, without gaps, across all runs of the instance. */
  readonly sequence: number;
  readonly value: unknown;
  /** When it was committed, by the database's clock. */
  readonly timestamp: EpochMs;
  /** The key of the step that reported it. */
  readonly step: string;
  /** The attempt of that body, from 1; null: it was reported between steps. */
  readonly attempt: number | null;
  readonly runNumber: number;
}

/** A page of a stream. */
export interface ReadProgressOutput {
  readonly entries: readonly ProgressView[];
  /** Pass it as the next `after`: the sequence of the last entry, or `after`. */
  readonly cursor: number;
  /** How many entries after `after` the stream no longer keeps. */
  readonly missed: number;
  /** The instance has ended, and there are no entries after `cursor`. A restart continues the same stream. */
  readonly ended: boolean;
}

/** Reads the progress of instances. */
export interface ProgressService {
  /**
   * Reads the next entries of an instance's stream. If you continue after the last one that you have seen, you miss none that
   * is kept and get none twice, whichever process runs the instance. One trip, and one for each look while it waits.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_INSTANCE_ID, INSTANCE_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  readProgress(
    workflowName: string,
    instanceId: string,
    options?: ReadProgressOptions,
  ): Promise<ReadProgressOutput>;
}

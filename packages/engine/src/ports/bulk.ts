/** What an engine can be asked about bulk jobs: one command for many instances. */
import type { BulkAct } from "../core/bulk.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { StatusCount } from "./find-instances.ts";
import type { InstancesInput } from "./finding-service.ts";

/** Which instances to change, and how. You have to give at least one condition. */
export interface BulkInput extends InstancesInput {
  readonly act: BulkAct;
  /** Any of these. @default those for which the act is possible */
  readonly status?: readonly InstanceStatusName[];
}

/** A bulk job to start. */
export interface StartBulkInput extends BulkInput {
  /** The id of the job, like that of an instance. @default a new one */
  readonly id?: string;
  /** Calls with the same key start only one job. */
  readonly idempotencyKey?: string;
}

/** An instance that a job would reach. */
export interface BulkSample {
  readonly workflowName: string;
  readonly id: string;
  readonly status: InstanceStatusName;
  /** The code of the error with which it would be refused; null: it would not. */
  readonly refusal: string | null;
}

/** What a job would do. */
export interface BulkPreview {
  readonly act: BulkAct;
  /** How many instances it would change, up to 10000 of each workflow and status. */
  readonly count: number;
  /** There may be more. */
  readonly isCapped: boolean;
  /** How many instances would be refused because of their status, counted in the same way. */
  readonly refusedCount: number;
  /** By workflow and status, without zeros. */
  readonly counts: readonly StatusCount[];
  /** The newest instances, at most 10. */
  readonly samples: readonly BulkSample[];
}

/** An instance that the job reached but that was refused. */
export interface BulkRefusal {
  readonly workflowName: string;
  readonly id: string;
  /** The code of the error. `STATUS_MISMATCH` also if the instance has changed since the job began. */
  readonly code: string;
}

/** The progress of a job. */
export interface BulkProgress {
  /** How many instances matched when it began; null: not counted yet. */
  readonly total: number | null;
  /** There may have been more. */
  readonly isCapped: boolean;
  readonly done: number;
  readonly refused: number;
  /** How many were refused with which code. */
  readonly refusedByCode: Readonly<Record<string, number>>;
  /** `total` without those that were reached; null: unknown. */
  readonly left: number | null;
  /** The first instances that were refused, at most 20. */
  readonly refusals: readonly BulkRefusal[];
}

/** A bulk job. */
export interface BulkView {
  readonly id: string;
  readonly act: BulkAct;
  /** The conditions; points in time as epoch milliseconds. */
  readonly filter: InstancesInput;
  /** The status of the job's own instance: `terminated` if the job was cancelled. */
  readonly status: InstanceStatusName;
  /** When it began. It reaches instances that existed then. */
  readonly startedAt: EpochMs;
  /** When it last changed. */
  readonly updatedAt: EpochMs;
  /** The progress after the last finished chunk. */
  readonly progress: BulkProgress;
  /** Why it failed. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** A page of jobs. */
export interface ListBulksInput {
  /** 1–100. @default 25 */
  readonly pageSize?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

/** Jobs, newest first. */
export interface ListBulksOutput {
  readonly bulks: readonly BulkView[];
  readonly cursor?: string;
  readonly hasNextPage: boolean;
}

/** Runs one command for many instances. All methods except the preview need `createEngine({ bulk: true })`. */
export interface BulkService {
  /**
   * Returns what a job would do: how many instances it would reach, which of them first, and how many would refuse. It writes
   * nothing. Two trips.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  previewBulk(input: BulkInput): Promise<BulkPreview>;
  /**
   * Starts a job: `await engine.startBulk({ act: "retry", workflows: ["order"], errorCode: "E_CARD" })`. It reaches every matching
   * instance that existed when it began, each once, newest first, in chunks, and continues after a crash.
   *
   * @throws BULK_DISABLED, INSTANCE_ID_ALREADY_EXISTS, IDEMPOTENCY_KEY_CONFLICT, and as `previewBulk`
   */
  startBulk(input: StartBulkInput): Promise<BulkView>;
  /** Reads a job and its progress. @throws BULK_DISABLED, INSTANCE_NOT_FOUND */
  getBulk(id: string): Promise<BulkView>;
  /** Lists jobs, newest first, a page at a time. @throws BULK_DISABLED, INVALID_CURSOR, INVALID_REQUEST */
  listBulks(input?: ListBulksInput): Promise<ListBulksOutput>;
  /** Ends a job after its current chunk. What is done stays done. @throws BULK_DISABLED, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL */
  cancelBulk(id: string): Promise<BulkView>;
}

/** What an engine can be asked about bulk jobs: one command for many instances. */
import type { BulkAct } from "../core/bulk.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { InstanceCount, InstancesInput } from "./finding-service.ts";

/** Which instances, and what is done to each. One thing at least has to be said of the instances. */
export interface BulkInput extends InstancesInput {
  readonly act: BulkAct;
  /** Any of them. @default those to which the act can be done */
  readonly status?: readonly InstanceStatusName[];
}

/** A bulk job that is to begin. */
export interface StartBulkInput extends BulkInput {
  /** As an instance's id. @default a new one */
  readonly id?: string;
  /** The same key begins one job, however often it is asked. */
  readonly idempotencyKey?: string;
}

/** An instance that a job would meet. */
export interface BulkSample {
  readonly workflowName: string;
  readonly id: string;
  readonly status: InstanceStatusName;
  /** Code of the error with which it would be refused; null: it would not. */
  readonly refusal: string | null;
}

/** What a job would do, told without doing it. */
export interface BulkPreview {
  readonly act: BulkAct;
  /** Instances to which it would be done, up to 10000 of a workflow and status. */
  readonly count: number;
  /** There may be more. */
  readonly isCapped: boolean;
  /** Instances that would be refused by their status, counted in the same way. */
  readonly refusedCount: number;
  /** By workflow and status, without those of which there are none. */
  readonly counts: readonly InstanceCount[];
  /** The newest of them, at most 10. */
  readonly samples: readonly BulkSample[];
}

/** An instance that was met and refused. */
export interface BulkRefusal {
  readonly workflowName: string;
  readonly id: string;
  /** An error's code; `STATUS_MISMATCH` also where the instance has changed since the job began. */
  readonly code: string;
}

/** How far a job has come. */
export interface BulkProgress {
  /** Instances that matched when it began; null: they are not counted yet. */
  readonly total: number | null;
  /** There may have been more. */
  readonly isCapped: boolean;
  readonly done: number;
  readonly refused: number;
  /** How many were refused with which code. */
  readonly refusedByCode: Readonly<Record<string, number>>;
  /** `total` without those that were met; null where that is not known. */
  readonly left: number | null;
  /** The first of those that were refused, at most 20. */
  readonly refusals: readonly BulkRefusal[];
}

/** A bulk job. */
export interface BulkView {
  readonly id: string;
  readonly act: BulkAct;
  /** What was said of the instances; instants as epoch milliseconds. */
  readonly filter: InstancesInput;
  /** As of the instance that it is: `terminated` where it was cancelled. */
  readonly status: InstanceStatusName;
  /** It meets instances that were there by then. */
  readonly startedAt: EpochMs;
  /** Its last change. */
  readonly updatedAt: EpochMs;
  /** As of the last chunk that was finished. */
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

/** One command for many instances. All but the preview need `createEngine({ bulk: true })`. */
export interface BulkService {
  /**
   * Tells what a job would do: how many instances it would meet, which of them first, and how many it would refuse. Writes nothing; two trips.
   *
   * @throws WORKFLOW_NOT_FOUND, INVALID_REQUEST, UNKNOWN_OPTION
   */
  previewBulk(input: BulkInput): Promise<BulkPreview>;
  /**
   * Begins a job: it meets every instance that was there when it began and matches, newest first, once, chunk by chunk, and goes on after a crash.
   *
   * @throws BULK_DISABLED, INSTANCE_ID_ALREADY_EXISTS, IDEMPOTENCY_KEY_CONFLICT, and as `previewBulk`
   */
  startBulk(input: StartBulkInput): Promise<BulkView>;
  /** @throws BULK_DISABLED, INSTANCE_NOT_FOUND */
  getBulk(id: string): Promise<BulkView>;
  /** @throws BULK_DISABLED, INVALID_CURSOR, INVALID_REQUEST */
  listBulks(input?: ListBulksInput): Promise<ListBulksOutput>;
  /** Ends a job behind the chunk that it is at. What is done stays done. @throws BULK_DISABLED, INSTANCE_NOT_FOUND, INSTANCE_TERMINAL */
  cancelBulk(id: string): Promise<BulkView>;
}

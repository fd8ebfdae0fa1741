/** What instances are created from, and what is said of their runs. */
import type { WorkflowDuration } from "../core/duration.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceView } from "./instance-views.ts";

/** When a new instance is to start, by the database's clock: `startAt` or `delay`, not both. */
export interface StartInput {
  /** A Date or epoch milliseconds, at most 365 days ahead; in the past: at once. @default at once */
  readonly startAt?: Date | EpochMs;
  /** Milliseconds or a duration string from the create on, at most 365 days. @default 0 */
  readonly delay?: WorkflowDuration;
}

/** What is said of a run beside its params. */
export interface RunOptions {
  /**
   * How long the run may take from now on, by the database's clock: then it is asked to end as by `cancel`, so that its code may clean
   * up, but fails with DEADLINE_EXCEEDED. Milliseconds or a duration string, at most 365
   * days; null: it may take for ever. @default for ever
   */
  readonly deadline?: WorkflowDuration | null;
  /** The same as an instant: a Date or epoch milliseconds. One of both. */
  readonly deadlineAt?: Date | EpochMs | null;
  /** Words to find it by: at most 16 of 1–64 characters, each once. @default none */
  readonly tags?: readonly string[];
  /** Any value of at most 4 KiB of JSON, shown with the status and looked at by nothing; null: none. @default none */
  readonly memo?: unknown;
}

export interface CreateInstanceInput extends StartInput, RunOptions {
  /** @default a random UUID */
  readonly id?: string;
  readonly params?: unknown;
  /** `return`: answer with the instance that has the id instead of failing. @default "error" */
  readonly onExisting?: "error" | "return";
  /**
   * The same key again, with the same params, is the same create: it answers with the instance that the first one made,
   * which starts when the first one said. Without an id, the id is made of the key. 1–255 printable ASCII characters.
   * @default every create is a new one
   */
  readonly idempotencyKey?: string;
}

/** One instance of a batch. */
export interface BatchInstance extends StartInput, RunOptions {
  readonly id: string;
  readonly params?: unknown;
}

/** How several instances are created. */
export interface CreateBatchOptions {
  /** As in `CreateInstanceInput`: what the same key created before counts as created now. */
  readonly idempotencyKey?: string;
}

export interface CreateBatchOutput {
  /** Those created now, in request order. */
  readonly instances: readonly InstanceView[];
  /** Ids that existed already (or came twice). */
  readonly skipped: readonly string[];
}

/** Inputs for creating instances, and options of their runs. */
import type { WorkflowDuration } from "../core/duration.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { InstanceView } from "./instance-views.ts";

/** When a new instance starts, by the database's clock: `startAt` or `delay`, not both. */
export interface StartInput {
  /** A Date or epoch milliseconds, at most 365 days ahead. In the past means at once. @default at once */
  readonly startAt?: Date | EpochMs;
  /** Milliseconds or a duration string, counted from the create, at most 365 days. @default 0 */
  readonly delay?: WorkflowDuration;
}

/** Options of a run besides its params. */
export interface RunOptions {
  /**
   * How long the run may take from now on, by the database's clock: milliseconds or a duration string, at most 365 days;
   * null: no deadline. After that it is asked to end, as by `cancel`, so that its code can clean up, and fails with
   * DEADLINE_EXCEEDED. @default no deadline
   */
  readonly deadline?: WorkflowDuration | null;
  /** The same as a point in time: a Date or epoch milliseconds. Give only one of the two. */
  readonly deadlineAt?: Date | EpochMs | null;
  /** Words to find it by: at most 16, of 1–64 characters each. @default none */
  readonly tags?: readonly string[];
  /** Any value, at most 4 KiB of JSON, that is shown with the status and not used for anything else; null: none. @default none */
  readonly memo?: unknown;
}

export interface CreateInstanceInput extends StartInput, RunOptions {
  /** @default 21 random letters and digits */
  readonly id?: string;
  readonly params?: unknown;
  /** `return`: return the instance that has the id instead of throwing. @default "error" */
  readonly onExisting?: "error" | "return";
  /**
   * A second call with the same key and the same params returns the instance that the first call created, with its start
   * time. Params are compared as text: an object with its keys in another order is another one. Without an id, the id is made
   * from the key. 1–255 printable ASCII characters.
   * @default every create is a new one
   */
  readonly idempotencyKey?: string;
}

/** One instance of a batch. */
export interface BatchInstance extends StartInput, RunOptions {
  readonly id: string;
  readonly params?: unknown;
}

/** How to create several instances. */
export interface CreateBatchOptions {
  /** As in `CreateInstanceInput`. Instances that the same key created before count as created now. */
  readonly idempotencyKey?: string;
}

/** Which instances of a batch were created. */
export interface CreateBatchOutput {
  /**
   * The instances created now, in the order of the request. Under a key, one of them may have ended already: an output of more than
   * 16 KiB is told by its size.
   */
  readonly instances: readonly InstanceView[];
  /** Ids that existed already, or came twice. */
  readonly skipped: readonly string[];
}

/** Options of commands: conditions on the instance, and how to carry them out. */
import type { InstanceStatusName } from "../core/model/status.ts";
import type { InstanceView } from "./instance-views.ts";
import type { RunOptions } from "./create-inputs.ts";

/** What a call demands of an instance. If it does not hold, the call is refused and changes nothing. */
export interface Preconditions {
  /** Only if this is the current run of the instance. @default any run */
  readonly ifRunNumber?: number;
  /** Only in one of these statuses. @default any status */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** Conditions of a command for an instance. */
export interface ControlOptions extends Preconditions {
  /**
   * A repetition of the last command with the same key changes nothing; with other inputs (a step, params, details) it is
   * refused. Inputs are compared as they are stored, as text: an object with its keys in another order is another input. 1–255
   * printable ASCII characters.
   * @default every command is a new one
   */
  readonly idempotencyKey?: string;
}

/** How to end an instance. */
export interface TerminateOptions extends ControlOptions {
  /**
   * First undo what its steps have done, as after a RollbackError. It waits for bodies that are running. If an undo fails for
   * good, the instance becomes `errored`, and `retry` continues. @default false: it ends at once
   */
  readonly rollback?: boolean;
}

/** How to restart an instance. */
export interface RestartOptions extends ControlOptions {
  /**
   * Give the steps new idempotency keys, so that other services do their work again. @default false: the keys of the run
   * before
   */
  readonly newKeys?: boolean;
}

/** How to retry an instance. */
export interface RetryOptions extends ControlOptions {
  /**
   * The key of the first step to run again, with all that settled with it or later; they keep their idempotency keys.
   * @default only what made the run fail
   */
  readonly from?: string;
}

/** Options of any command. `rollback` is only for `terminate`, `newKeys` only for `restart`, `from` only for `retry`. */
export type CommandOptions = TerminateOptions & RestartOptions & RetryOptions;

/** What to create or restart. `deadline`, `tags` and `memo` replace those of a restarted instance; what you omit stays. */
export interface RestartOrCreateInput extends ControlOptions, RunOptions {
  readonly id: string;
  /** The params of the new instance, or of the new run. */
  readonly params?: unknown;
  /** Restart it only in one of these statuses. If no instance has the id, it is created anyway. @default any status */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** Conditions of a rewind. */
export interface RewindOptions extends ControlOptions {}

/** What to change of an instance, and conditions for that. What you omit stays; null removes it. */
export interface UpdateOptions extends RunOptions, ControlOptions {}

/** Conditions of a fork, and options of the new instance. */
export interface ForkOptions extends Omit<RewindOptions, "idempotencyKey"> {
  /** The id of the new instance. @default 21 random letters and digits, or one made from the idempotency key */
  readonly id?: string;
  /** The params of the new instance. @default those of the instance that is forked */
  readonly params?: unknown;
  /**
   * A second call with the same key, instance, step and params is the same fork: it returns the instance that the first one
   * created. 1–255 printable ASCII characters. @default every fork is a new one
   */
  readonly idempotencyKey?: string;
}

/** The instance, and whether it was created or restarted. */
export interface RestartOrCreateOutput extends InstanceView {
  /** `unchanged`: it exists, and is at another run or in another status than asked for. */
  readonly outcome: "created" | "restarted" | "unchanged";
}

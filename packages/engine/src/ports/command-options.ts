/** What is demanded of an instance that a command is for, and how the command is carried out. */
import type { InstanceStatusName } from "../core/model/status.ts";
import type { InstanceView } from "./instance-views.ts";
import type { RunOptions } from "./create-inputs.ts";

/** What is demanded of an instance that a command is for. */
export interface ControlOptions {
  /** Only if this is the instance's present run. @default whichever it is */
  readonly ifRunNumber?: number;
  /**
   * The same command with the key of the one before changes nothing. 1–255 printable ASCII characters.
   * @default every command is a new one
   */
  readonly idempotencyKey?: string;
}

/** How an instance is ended. */
export interface TerminateOptions extends ControlOptions {
  /**
   * What its steps have done is undone first, as after a RollbackError; bodies under way are waited for. An undo that fails
   * for good makes the instance `errored`; `retry` goes on with it. @default false: it ends at once
   */
  readonly rollback?: boolean;
}

/** How an instance is run again. */
export interface RestartOptions extends ControlOptions {
  /**
   * Steps have idempotency keys that none had before, so that services outside do their work again. @default false: keys are
   * those of the run before
   */
  readonly newKeys?: boolean;
}

/** Options of any command: `rollback` is for `terminate` alone, `newKeys` for `restart`. */
export type CommandOptions = TerminateOptions & RestartOptions;

/** `deadline`, `tags` and `memo` take the place of those that a restarted instance had; what is absent stays. */
export interface RestartOrCreateInput extends ControlOptions, RunOptions {
  readonly id: string;
  /** Of the new instance, or of the new run. */
  readonly params?: unknown;
  /** Restart it only in one of these statuses; where nothing has the id it is created all the same. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is demanded of an instance that is rewound. */
export interface RewindOptions extends ControlOptions {
  /** Only in one of these statuses. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is to be said of an instance from now on, and what is demanded of it. What is absent stays; null takes away. */
export interface UpdateOptions extends RunOptions, ControlOptions {
  /** Only in one of these statuses. @default whichever it is in */
  readonly ifStatus?: readonly InstanceStatusName[];
}

/** What is demanded of an instance that is forked, and what the new one is. */
export interface ForkOptions extends Omit<RewindOptions, "idempotencyKey"> {
  /** Of the new instance. @default a random UUID, or one made of the idempotency key */
  readonly id?: string;
  /** Of the new instance. @default those of the instance that is forked */
  readonly params?: unknown;
  /**
   * The same key again, with the same instance, step and params, is the same fork: it answers with the instance that the first one
   * made. 1–255 printable ASCII characters. @default every fork is a new one
   */
  readonly idempotencyKey?: string;
}

export interface RestartOrCreateOutput extends InstanceView {
  /** `unchanged`: it exists, and is at another run or in another status than asked for. */
  readonly outcome: "created" | "restarted" | "unchanged";
}

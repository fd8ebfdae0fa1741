/** Commands for one instance: what a store is asked for, and what it answers. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { Command } from "../core/decide/command.ts";
import type { Conditions } from "../core/decide/demand.ts";
import type { NewInstance } from "./create.ts";

export interface ControlRequest extends InstanceRef, Command {
  /** Row id for the task that every command except `pause` and `terminate` may create. */
  readonly taskRowId: string;
}

/** A call from outside was applied. `instance` is the state after it. */
export interface Applied {
  readonly kind: "applied";
  readonly instance: InstanceRecord;
  /**
   * The task was made due or was created. (A run that starts later is due at that later time.) For a command, it may also mean
   * that a child or the parent is due.
   */
  readonly woke: boolean;
}

/** `terminal`: refused, nothing was written. */
export type Refused =
  | { readonly kind: "terminal"; readonly instance: InstanceRecord }
  | { readonly kind: "notFound" };

/** The instance that a request is for, and what is demanded of it. */
export interface Demand extends InstanceRef, Conditions {}

/** The instance is at another run than the command was meant for; nothing was written. */
export interface RunNumberMismatch {
  readonly kind: "runNumberMismatch";
  readonly instance: InstanceRecord;
}

/** The instance is in another status than the call demands; nothing was written. */
export interface StatusMismatch {
  readonly kind: "statusMismatch";
  readonly instance: InstanceRecord;
}

/** The command needs an instance that has failed, and this one has not; nothing was written. */
export interface NotErrored {
  readonly kind: "notErrored";
  readonly instance: InstanceRecord;
}

/**
 * `applied` also when it was applied before under the same `controlKey`. Of a refusal nothing was written; `statusMismatch`: the
 * instance is in another status than demanded; `keyConflict`: the same key came with other inputs before.
 */
export type DemandResult<TRefusal extends string> =
  | Applied
  | Extract<Refused, { readonly kind: "notFound" }>
  | RunNumberMismatch
  | {
      readonly kind: TRefusal | "statusMismatch" | "keyConflict";
      readonly instance: InstanceRecord;
    };

/** `applied` also for a no-op, and for a command that was applied before under the same `controlKey`. */
export type ControlResult = Applied | Refused | RunNumberMismatch | StatusMismatch | NotErrored;

export interface RestartOrCreateRequest extends Conditions {
  /** Created if nothing has the id. If an instance has it, the new run gets these params. */
  readonly create: NewInstance;
  /** Row id for the task of the run that a restart begins. */
  readonly taskRowId: string;
  /** As in `ControlRequest`. */
  readonly controlKey: string | null;
}

/**
 * `created`, `restarted`: by this call, or by an earlier one with the same row id or `controlKey`. `unchanged`: a condition
 * did not hold, and nothing was written. `keyConflict`: nor was anything, since an earlier call with the key had other inputs.
 */
export interface RestartOrCreateResult {
  readonly kind: "created" | "restarted" | "unchanged" | "keyConflict";
  readonly instance: InstanceRecord;
  /** A task was created, or may have been. */
  readonly woke: boolean;
}

/** What a store is asked for, and answers, when what is said of an instance is changed. */
import type { UpdateRefusal } from "../core/decide/update.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { Applied, Refused, RunNumberMismatch } from "./control.ts";
import type { RunFacts } from "./create.ts";

export interface UpdateRequest extends InstanceRef {
  /** Only if this is the instance's present run; null: whichever it is. */
  readonly ifRunNumber: number | null;
  /** Only in one of these statuses; null: in any. */
  readonly ifStatus: readonly InstanceStatusName[] | null;
  /** As in `ControlRequest`. */
  readonly controlKey: string | null;
  /** What is absent stays. */
  readonly facts: Partial<RunFacts>;
}

/** Nothing was written. `statusMismatch`: the instance is in another status than demanded. */
export interface UpdateRefused {
  readonly kind: UpdateRefusal | "statusMismatch";
  readonly instance: InstanceRecord;
}

/** `applied` also when it was applied before under the same `controlKey`. `woke`: it is due at another time than it would have been. */
export type UpdateResult =
  | Applied
  | Extract<Refused, { readonly kind: "notFound" }>
  | RunNumberMismatch
  | UpdateRefused;

/** The verb. */
export interface UpdatingStore {
  /**
   * Changes deadline, tags or memo, of an instance in any status; the deadline by `core/decide/update.ts`. A run that waits is
   * due at its deadline at the latest, and one that runs hears of it from a commit.
   */
  update(request: UpdateRequest): Promise<UpdateResult>;
}

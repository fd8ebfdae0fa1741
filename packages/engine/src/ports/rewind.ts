/** What a store is asked for, and answers, when a run is brought back to a step or forked at one. */
import type { RewindRefusal } from "../core/decide/rewind.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { Applied, Demand, DemandResult } from "./control.ts";
import type { NewInstance } from "./create.ts";

/** The step that a run is brought back to, or forked at, and what is demanded of the run. */
export interface RewindDemand extends Demand {
  readonly stepKey: string;
}

export interface RewindRequest extends RewindDemand {
  /** As in `ControlRequest`. */
  readonly controlKey: string | null;
  /** Row ids for the task, and for the event that tells of it. */
  readonly taskRowId: string;
  readonly eventRowId: string;
}

export type RewindResult = DemandResult<RewindRefusal>;

export interface ForkRequest extends RewindDemand {
  /** Of the same workflow; not claimed, and due at once. */
  readonly create: NewInstance;
  /** It has the params of the instance that is forked, and not those of `create`. */
  readonly keepsParams: boolean;
  /** Row ids of the copied steps begin with it: 1–22 characters, unique. */
  readonly stepRowIds: string;
}

/** `created`: by this call, or by an earlier one with the same row id; `exists`: as of `CreateResult`. `instance` is the new one there. */
export type ForkResult =
  | { readonly kind: "created"; readonly instance: InstanceRecord }
  | { readonly kind: "exists"; readonly instance: InstanceRecord }
  | Exclude<RewindResult, Applied>;

/** The verbs. */
export interface RewindingStore {
  /**
   * Brings the present run back to a step, by `core/decide/rewind.ts`: what settled with it or later goes, events that such steps
   * had taken are undelivered again, whoever holds the run has lost it, and it is due, unless it is paused. A delivered event
   * tells of it (`toRewindEvent`), of which the last `MAX_REWINDS_TOLD` are kept.
   */
  rewind(request: RewindRequest): Promise<RewindResult>;

  /** Creates an instance that begins with a copy of the steps that a rewind would keep. */
  fork(request: ForkRequest): Promise<ForkResult>;
}

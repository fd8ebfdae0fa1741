/** Rewinds and forks: what a store is asked, and what it answers. */
import type { RewindRefusal } from "../core/decide/rewind.ts";
import type { InstanceRecord } from "../core/model/records.ts";
import type { Applied, Demand, DemandResult } from "./control.ts";
import type { NewInstance } from "./create.ts";

/** The step that a run is brought back to, or forked at, and what is demanded of the run. */
export interface RewindDemand extends Demand {
  readonly stepKey: string;
}

export interface RewindRequest extends RewindDemand {
  /** The steps that run again have the same idempotency keys, as after a retry. A step that starts a child keeps an open row. */
  readonly keepsKeys: boolean;
  /** As in `ControlRequest`, and with a digest of the inputs; see `toControlKey`. */
  readonly controlKey: string | null;
  /** Row ids for the task, and for the event that records the rewind. */
  readonly taskRowId: string;
  readonly eventRowId: string;
}

export type RewindResult = DemandResult<RewindRefusal>;

export interface ForkRequest extends RewindDemand {
  /** The new instance: of the same workflow, not claimed, and due at once. */
  readonly create: NewInstance;
  /** The new instance gets the params of the instance that is forked, not those of `create`. */
  readonly keepsParams: boolean;
  /** The row ids of the copied steps begin with this: 1–22 characters, unique. */
  readonly stepRowIds: string;
}

/** `created`: by this call, or by an earlier one with the same row id; `instance` is the new one. `exists`: as in `CreateResult`. */
export type ForkResult =
  | { readonly kind: "created"; readonly instance: InstanceRecord }
  | { readonly kind: "exists"; readonly instance: InstanceRecord }
  | Exclude<RewindResult, Applied>;

/** The verbs. */
export interface RewindingStore {
  /**
   * Takes the current run back to a step, as `core/decide/rewind.ts` decides. Steps that settled with it or later are removed, and
   * the events that they took are undelivered again. The process that holds the run loses it, and the run is due unless it is
   * paused. A delivered event records the rewind (`toRewindEvent`); the last `MAX_REWINDS_TOLD` of them are kept.
   */
  rewind(request: RewindRequest): Promise<RewindResult>;

  /** Creates an instance that begins with a copy of the steps that a rewind would keep. */
  fork(request: ForkRequest): Promise<ForkResult>;
}

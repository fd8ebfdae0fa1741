/** Changes deadline, tags or memo of an instance: what a store is asked, and what it answers. */
import type { UpdateRefusal } from "../core/decide/update.ts";
import type { Demand, DemandResult } from "./control.ts";
import type { RunFacts } from "./create.ts";

export interface UpdateRequest extends Demand {
  /** As in `RewindRequest`. */
  readonly controlKey: string | null;
  /** A field that is absent stays as it is. */
  readonly facts: Partial<RunFacts>;
}

/** `woke`: it is due at another time than it would have been. */
export type UpdateResult = DemandResult<UpdateRefusal>;

/** The verb. */
export interface UpdatingStore {
  /**
   * Changes deadline, tags or memo of an instance in any status; `core/decide/update.ts` decides about the deadline. A waiting
   * run is due at its deadline at the latest; a running one learns of the deadline with a commit.
   */
  update(request: UpdateRequest): Promise<UpdateResult>;
}

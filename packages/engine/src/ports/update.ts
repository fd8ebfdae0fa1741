/** What a store is asked for, and answers, when what is said of an instance is changed. */
import type { UpdateRefusal } from "../core/decide/update.ts";
import type { Demand, DemandResult } from "./control.ts";
import type { RunFacts } from "./create.ts";

export interface UpdateRequest extends Demand {
  /** As in `ControlRequest`. */
  readonly controlKey: string | null;
  /** What is absent stays. */
  readonly facts: Partial<RunFacts>;
}

/** `woke`: it is due at another time than it would have been. */
export type UpdateResult = DemandResult<UpdateRefusal>;

/** The verb. */
export interface UpdatingStore {
  /**
   * Changes deadline, tags or memo, of an instance in any status; the deadline by `core/decide/update.ts`. A run that waits is
   * due at its deadline at the latest, and one that runs hears of it from a commit.
   */
  update(request: UpdateRequest): Promise<UpdateResult>;
}

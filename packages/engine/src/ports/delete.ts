/** What a store is asked for, and answers, when an instance is deleted. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceStatusName } from "../core/model/status.ts";

/** An instance that has not ended, which is in the way. */
export interface LiveInstance extends InstanceRef {
  readonly status: InstanceStatusName;
}

/** `deleted`: with `count` instances, its children among them; 0: there was none. `notEnded`: nothing was written. */
export type DeleteResult =
  | { readonly kind: "deleted"; readonly count: number }
  | { readonly kind: "notEnded"; readonly live: LiveInstance };

/** The verb. */
export interface DeletingStore {
  /**
   * Deletes an instance with all its runs, their steps, events and progress, and with its children and theirs. Only if all of
   * them have ended, and the run that started it too: otherwise `live` names the instance itself, or else one of the others.
   */
  deleteInstance(instance: InstanceRef): Promise<DeleteResult>;
}

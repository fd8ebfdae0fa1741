/** What a store is asked for, and answers, about a family that is to be deleted. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { PagePosition } from "./pages.ts";

/** An instance that has not ended, which is in the way. */
export interface LiveInstance extends InstanceRef {
  readonly status: InstanceStatusName;
}

/** What was found of instances and all below them. */
export interface LiveBelow {
  /** One that has not ended: one of those that were asked for, or below them, or a run that goes on and started one of them. */
  readonly live: LiveInstance | null;
  /** They are more than `RETAIN_CHUNK.members`, and not all were looked at. */
  readonly isTooLarge: boolean;
}

export interface ListChildrenRequest {
  readonly parent: InstanceRef;
  /** The page goes on behind this one; null: from the newest. */
  readonly after: PagePosition | null;
}

/** Newest first; `RETAIN_CHUNK.members` at most. */
export interface ChildrenPage {
  readonly children: readonly InstanceRef[];
  /** null: there are no more. */
  readonly next: PagePosition | null;
}

/** The looks. `RetainingStore` deletes. */
export interface DeletingStore {
  /** Looks at instances and what is below them. Locks nothing. */
  findLive(instances: readonly InstanceRef[]): Promise<LiveBelow>;
  /** The children of all runs of an instance, of whatever workflow. */
  listChildren(request: ListChildrenRequest): Promise<ChildrenPage>;
}

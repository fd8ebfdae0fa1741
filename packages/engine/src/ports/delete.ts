/** Looks at a family that is to be deleted: what a store is asked, and what it answers. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { InstanceStatusName } from "../core/model/status.ts";
import type { PagePosition } from "./pages.ts";

/** An instance that has not ended and therefore prevents the delete. */
export interface LiveInstance extends InstanceRef {
  readonly status: InstanceStatusName;
}

/** What was found among instances and all their descendants. */
export interface LiveBelow {
  /** One that has not ended: a given instance, a descendant, or a live run that started one of the given instances. */
  readonly live: LiveInstance | null;
  /** There are more than `RETAIN_CHUNK.members` of them, and not all were looked at. */
  readonly isTooLarge: boolean;
}

export interface ListChildrenRequest {
  readonly parent: InstanceRef;
  /** The page continues after this position; null: it starts with the newest. */
  readonly after: PagePosition | null;
}

/** Newest first; `RETAIN_CHUNK.members` at most. */
export interface ChildrenPage {
  readonly children: readonly InstanceRef[];
  /** null: there are no more. */
  readonly next: PagePosition | null;
}

/** Reads before a delete. `RetainingStore` does the deleting. */
export interface DeletingStore {
  /** Looks for a live one among instances and their descendants. Locks nothing. */
  findLive(instances: readonly InstanceRef[]): Promise<LiveBelow>;
  /** Lists the children of all runs of an instance, whatever their workflow. */
  listChildren(request: ListChildrenRequest): Promise<ChildrenPage>;
}

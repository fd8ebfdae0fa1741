/** What a store is asked for, and answers, when instances are deleted because they ended long enough ago. */
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { EndStatus, RetentionRule } from "../core/retention.ts";
import type { PagePosition } from "./pages.ts";

/** What one call looks at, deletes and counts, at most. */
export const RETAIN_CHUNK: {
  /** Instances that a walk looks at. */
  readonly looked: number;
  /** Rows of steps, events and progress that a call deletes. Of one instance that has more, they go in several calls. */
  readonly rows: number;
  /** Children of an instance that goes with all of its family in one call. */
  readonly children: number;
  /** Members of all families of a call. */
  readonly members: number;
} = { looked: 100, rows: 500, children: 100, members: 500 };

/** A walk along the instances of a rule, oldest first. */
export interface RetainWalk extends RetentionRule {
  /** It goes on behind this one; null: from the first. */
  readonly after: PagePosition | null;
}

/** An instance that ended longer ago than its rule says, and that no parent holds. */
export interface ExpiredInstance extends InstanceRef {
  /** Of steps, events and progress of all its runs; above `RETAIN_CHUNK.rows` they need not be counted. */
  readonly rowCount: number;
  /** Above `RETAIN_CHUNK.children` they need not be counted. */
  readonly childCount: number;
  /** Steps of these children, counted as `rowCount`. */
  readonly childRowCount: number;
}

/** What a walk found. */
export interface ExpiredPage {
  readonly expired: readonly ExpiredInstance[];
  /** The last that it looked at; null: there are no more. */
  readonly next: PagePosition | null;
}

/** Since when instances of a workflow that ended so must have ended to be deleted. */
export interface ExpiryRule {
  readonly workflowName: string;
  readonly status: EndStatus;
  readonly before: EpochMs;
}

/** The verbs. */
export interface RetainingStore {
  /** Walks, in the order given; `now` is database time. Locks nothing. */
  findExpired(
    walks: readonly RetainWalk[],
  ): Promise<{ readonly now: EpochMs; readonly pages: readonly ExpiredPage[] }>;

  /**
   * Deletes each of these instances with its family, its children and theirs, with all that their runs have left, if all of the
   * family ended as the rules say and no parent holds it. Instances that are not there are left alone, and so are all of them if
   * they have more members or rows than a call may take.
   */
  deleteExpired(request: DeleteExpiredRequest): Promise<DeletedExpired>;

  /**
   * Of an instance that is too large for one call: its run makes room for an empty one, so that nobody takes what is left for a
   * history, and rows of earlier runs go, as many as a call may delete. The instance stays, ended as it is, and lets its children
   * go. Only if all of its family ended as the rules say, of as many members as a call may have, and no parent holds it.
   *
   * @returns false: it is left alone
   */
  emptyExpired(request: EmptyExpiredRequest): Promise<boolean>;
}

/** null: whoever has ended may go, and only a run that goes on holds its children. */
export type Expiry = readonly ExpiryRule[] | null;

export interface DeleteExpiredRequest {
  readonly instances: readonly InstanceRef[];
  readonly rules: Expiry;
}

export interface DeletedExpired {
  /** Instances that went, children among them. */
  readonly count: number;
  /** They have more members than a call may have, or more rows: none went. Without children, and by rules, rows are not counted again. */
  readonly isTooLarge: boolean;
}

export interface EmptyExpiredRequest {
  readonly instance: InstanceRef;
  readonly rules: Expiry;
}

/** Retention: finds and deletes instances that ended long enough ago. */
import type { Conditions } from "../core/decide/demand.ts";
import type { InstanceRef } from "../core/model/instance-key.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { EndStatus, RetentionRule } from "../core/retention.ts";
import type { PagePosition } from "./pages.ts";

/** How much one call may look at, delete and count. */
export const RETAIN_CHUNK: {
  /** Instances that a walk looks at. */
  readonly looked: number;
  /** Rows of steps, events and progress that a call deletes. An instance with more rows takes several calls. */
  readonly rows: number;
  /** Children that an instance may have to be deleted with its whole family in one call. */
  readonly children: number;
  /** Members of all families of a call together. */
  readonly members: number;
} = { looked: 100, rows: 500, children: 100, members: 500 };

/** A walk along the instances of a rule, oldest first. */
export interface RetainWalk extends RetentionRule {
  /** The walk continues after this position; null: from the first. */
  readonly after: PagePosition | null;
}

/** An instance that ended longer ago than its rule says, and that no parent holds. */
export interface ExpiredInstance extends InstanceRef {
  /** Rows of steps, events and progress of all its runs. Beyond `RETAIN_CHUNK.rows` the store may stop counting. */
  readonly rowCount: number;
  /** Beyond `RETAIN_CHUNK.children` the store may stop counting. */
  readonly childCount: number;
  /** Steps of these children, counted like `rowCount`. */
  readonly childRowCount: number;
}

/** What a walk found. */
export interface ExpiredPage {
  readonly expired: readonly ExpiredInstance[];
  /** The last position that the walk looked at; null: there are no more. */
  readonly next: PagePosition | null;
}

/** Instances of a workflow with this end may be deleted if they ended before `before`. */
export interface ExpiryRule {
  readonly workflowName: string;
  readonly status: EndStatus;
  readonly before: EpochMs;
}

/** The verbs. */
export interface RetainingStore {
  /** Does the walks, with results in their order. `now` is database time. Locks nothing. */
  findExpired(
    walks: readonly RetainWalk[],
  ): Promise<{ readonly now: EpochMs; readonly pages: readonly ExpiredPage[] }>;

  /**
   * Deletes each of these instances with its family (its children and theirs) and everything that their runs have stored, if
   * the whole family ended as the rules say and no parent holds it. Instances that do not exist are ignored. If the families
   * have more members or rows than a call may take, nothing is deleted.
   */
  deleteExpired(request: DeleteExpiredRequest): Promise<DeletedExpired>;

  /**
   * Begins to delete an instance that is too large for one call. It gives the instance a new, empty run, so that nobody takes
   * the remaining rows for a history, and deletes rows of earlier runs, as many as a call may. The instance itself stays, with
   * the end that it had, and no longer holds its children. It does so only if the family, as far as a call may look at its
   * members, ended as the rules say, and no parent holds it.
   *
   * @returns false: the instance was left alone
   */
  emptyExpired(request: EmptyExpiredRequest): Promise<boolean>;
}

/** null: any instance that has ended may be deleted, and only a live run holds its children. */
export type Expiry = readonly ExpiryRule[] | null;

export interface DeleteExpiredRequest {
  readonly instances: readonly InstanceRef[];
  readonly rules: Expiry;
  /** Each of the instances must meet this; their families need not. Only without rules. @default anything */
  readonly demand?: Conditions;
}

export interface DeletedExpired {
  /** How many instances were deleted, children included. */
  readonly count: number;
  /**
   * The families have more members or rows than a call may take, so none was deleted. Rows are not counted again for
   * instances without children that are deleted by rules.
   */
  readonly isTooLarge: boolean;
}

export interface EmptyExpiredRequest {
  readonly instance: InstanceRef;
  readonly rules: Expiry;
  /** The instance must meet this. Only without rules. @default anything */
  readonly demand?: Conditions;
}

/** The answers of a store to a run's commit. */
import type { EndRequest, EpochMs, EventRecord } from "../core/model/records.ts";
import type { Failed } from "./create.ts";

/** Rows that statements on other tables returned, in their order. */
export type OtherTableRows = readonly (readonly Readonly<Record<string, unknown>>[])[];

/**
 * Why writes to other tables were not applied. `conflict`: one of their conditions was false, or another writer was in the
 * way. `unique`: a unique index refused a row. `rejected`: the database or the store refused a statement.
 */
export type Refusal =
  | {
      readonly kind: "conflict";
      readonly reason: "guard" | "serialization" | "deadlock" | "busy" | "locked";
      readonly guard: string | null;
    }
  | { readonly kind: "unique"; readonly constraint: string }
  | { readonly kind: "rejected"; readonly error: unknown };

/** A commit's writes to other tables were refused, so nothing of the commit was applied. The lease may still be held. */
export interface RefusedCommit {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/**
 * `committed`: applied. `conflict`: the lease is no longer held, and nothing of this commit was applied. `refused`: only for
 * writes to other tables. `failed`: the database refused this commit, but not the others of the call.
 */
export type CommitResult =
  | {
      readonly kind: "committed";
      readonly now: EpochMs;
      /** A pause was requested and has not taken effect yet (only after `continue`). */
      readonly pauseRequested: boolean;
      /** How the run was asked to end (only after `continue`); null: it was not. */
      readonly endRequested: EndRequest | null;
      /** This commit paused the run, because a pause was requested and not revoked. */
      readonly paused: boolean;
      /** Unconsumed events above the commit's `knownEventSequence`, oldest first (only after `continue` that reads them). */
      readonly events: readonly EventRecord[];
      /** There are more events above these, which did not fit into the page. */
      readonly hasMoreEvents: boolean;
      /** When the task comes due after `park`, `release` or `pause`; null otherwise, and when paused. */
      readonly dueAt: EpochMs | null;
      /** The commit was sent more than once, and may have been applied well before `now`. Set by the caller that repeats it, not by the store. */
      readonly isRepeated?: true;
      /** Task row ids of children that this call has created; absent: none. */
      readonly children?: readonly string[];
      /** Rows of the statements on other tables. Absent: there were none, or the commit was found to be applied already. */
      readonly otherTableRows?: OtherTableRows;
    }
  | { readonly kind: "conflict" }
  | RefusedCommit
  | Failed;

/** A commit about whose run there is no news. Without `now`, which each answer adds. */
export const COMMITTED = {
  kind: "committed",
  pauseRequested: false,
  endRequested: null,
  paused: false,
  events: [],
  hasMoreEvents: false,
  dueAt: null,
} as const;

/** What a store answers to a commit of a run. */
import type { EndRequest, EpochMs, EventRecord } from "../core/model/records.ts";
import type { Failed } from "./create.ts";

/** Rows of foreign statements, in their order. */
export type OtherTableRows = readonly (readonly Readonly<Record<string, unknown>>[])[];

/**
 * Why foreign writes were not applied: a condition of theirs was false or another writer was in the way (`conflict`), a
 * unique index refused a row, or the database or the store refused a statement (`rejected`).
 */
export type Refusal =
  | {
      readonly kind: "conflict";
      readonly reason: "guard" | "serialization" | "deadlock" | "busy" | "locked";
      readonly guard: string | null;
    }
  | { readonly kind: "unique"; readonly constraint: string }
  | { readonly kind: "rejected"; readonly error: unknown };

/** The foreign writes of a commit were refused: nothing of the commit was applied. The lease may still be held. */
export interface RefusedCommit {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/**
 * `committed`: applied. `conflict`: the lease is no longer held, nothing of this commit was applied. `refused`: only with
 * foreign writes. `failed`: the database refused this commit and not the others of the call.
 */
export type CommitResult =
  | {
      readonly kind: "committed";
      readonly now: EpochMs;
      /** A pause is asked for and not yet carried out (only after `continue`). */
      readonly pauseRequested: boolean;
      /** How the run is to end (only after `continue`; null otherwise, and as long as nobody has asked). */
      readonly endRequested: EndRequest | null;
      /** The run was paused by this commit: a pause was asked for and not taken back. */
      readonly paused: boolean;
      /** Unconsumed events above the commit's `knownEventSequence`, oldest first (only after `continue` that reads them). */
      readonly events: readonly EventRecord[];
      /** There are more above them, which did not fit the page. */
      readonly hasMoreEvents: boolean;
      /** When the task comes due after `park`, `release` or `pause`; null otherwise, and when paused. */
      readonly dueAt: EpochMs | null;
      /** It was sent more than once, and may have been applied well before `now`. Not by the store: by who repeats it. */
      readonly isRepeated?: true;
      /** Task row ids of children that this call has created; absent: none. */
      readonly children?: readonly string[];
      /** Rows of the foreign statements; absent without them, and when the commit was found applied already. */
      readonly otherTableRows?: OtherTableRows;
    }
  | { readonly kind: "conflict" }
  | RefusedCommit
  | Failed;

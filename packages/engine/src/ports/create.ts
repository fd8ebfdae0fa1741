/** Creates instances: what a store is given, and what it answers. */
import type { When } from "../core/model/change.ts";
import type { InstanceRecord, JsonText, ParentRef } from "../core/model/records.ts";
import type { CallTicket, NextDue } from "./claim.ts";
import type { Shown } from "./pages.ts";

/** What is said of a run beside its params. */
export interface RunFacts {
  /** When it is asked to end; null: never. */
  readonly deadline: When | null;
  readonly tags: readonly string[];
  /** null: none. */
  readonly memo: JsonText | null;
}

/** An instance to create; ids are made by the caller. Of what is said of the run, nothing is by default. */
export interface NewInstance extends Partial<RunFacts> {
  readonly workflowName: string;
  readonly instanceId: string;
  readonly params: JsonText | null;
  /** Row ids, ≤ 30 characters, unique. */
  readonly instanceRowId: string;
  readonly taskRowId: string;
  /**
   * The row id is made from an idempotency key, so an earlier create may have written the row, perhaps with other params.
   *
   * @default the row id is new
   */
  readonly isKeyed?: true;
  /**
   * It is one of many. If the instance exists, its output is left out if it is larger than `SMALL_PAYLOAD_BYTES`, and its params are
   * `OTHER_PARAMS` if they are larger than these, so that what is read is bounded by what was asked for.
   *
   * @default the whole instance is answered
   */
  readonly isOfBatch?: true;
  /** When the run is due, if that is in the future; null: at once. Until the first claim, `startedAt` has this time. */
  readonly start: When | null;
  /** The step that starts it. @default none */
  readonly parent?: ParentRef;
  /** W3C traceparent of what creates it. @default none */
  readonly traceContext?: string;
  /** Claim the new run at once (status `running`; `start` is null then), as if `claim` had found it. null: queue it (status `queued`). */
  readonly claim: CallTicket | null;
}

/** Stands for params that differ from those of a create. It is no JSON. */
export const OTHER_PARAMS = "";

/** The database refused this item of a call for a reason of its own (a bug); nothing of it was written. */
export interface Failed {
  readonly kind: "failed";
  readonly error: unknown;
}

/**
 * `created`: written by this call, or by an earlier one with the same row id whose answer was lost. `exists`: the id is
 * taken; `instance` is the one that has it, nothing was written.
 */
export type CreateResult =
  | {
      readonly kind: "created" | "exists";
      readonly instance: Shown<InstanceRecord>;
      /** Absent: the claim did not ask for it. Leases of other items of the call count like leases of other processes. */
      readonly next?: NextDue | undefined;
    }
  | Failed;

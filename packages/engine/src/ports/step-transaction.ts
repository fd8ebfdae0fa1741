/**
 * Writes to other tables that are committed in the batch of a step's record. The runner asks for them through this port and
 * knows nothing about the tables.
 */
import type { OtherTableStatement } from "../core/model/change.ts";
import type { OtherTableRows, Refusal } from "./commit.ts";

/** Writes that wait for the commit of their step. */
export interface StepWrites {
  /** In order; never empty. */
  readonly statements: readonly OtherTableStatement[];
  /** Turns a refused batch into the error that the attempt ends with. null: other writes were refused, not these. */
  readonly explain: (refusal: Refusal) => Error | null;
  /** Called after the commit. @param rows rows of `statements`, in order; none when the answer to the commit was lost */
  readonly complete: (rows: OtherTableRows) => Promise<unknown>;
  /** Called when the commit was refused. Neither this nor `complete` is called when the run was lost to another runner. */
  readonly abandon: () => void;
}

/** Collects the writes of one attempt. */
export interface StepTransaction {
  /** What the author's callback gets in addition to the usual context of a step. */
  readonly members: object;
  /**
   * Called once, when the author's callback has returned. From then on, `members` refuse calls. It may read, but not write.
   *
   * @returns null if the callback asked for no writes
   * @throws the error that the attempt is to fail with
   */
  prepare(): Promise<StepWrites | null>;
}

/** What a transaction knows of its step. */
export interface TransactingStep {
  /** The same for each attempt, of which one at most is committed. */
  readonly idempotencyKey: string;
  /** Reports progress of the attempt: see `StepContext.progress`. */
  readonly progress: (value: unknown) => Promise<void>;
}

/** Begins the transaction of an attempt. It must be cheap, because most steps do not write to other tables. */
export type BeginStepTransaction = (step: TransactingStep) => StepTransaction;

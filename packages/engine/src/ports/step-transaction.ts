/**
 * Writes of other tables that are committed in the batch of a step's record: the runner asks for them here and knows
 * nothing of the tables.
 */
import type { OtherTableStatement } from "../core/model/change.ts";
import type { OtherTableRows, Refusal } from "./commit.ts";

/** Writes that wait for the commit of their step. */
export interface StepWrites {
  /** In order; never empty. */
  readonly statements: readonly OtherTableStatement[];
  /** What a refused batch says of these writes: the error that the attempt ends with. null: the refusal is of others. */
  readonly explain: (refusal: Refusal) => Error | null;
  /** Called after the commit. @param rows rows of `statements`, in order; none when the answer to the commit was lost */
  readonly complete: (rows: OtherTableRows) => Promise<unknown>;
  /** Called when the commit was refused. Neither is called when the run was lost to another runner. */
  readonly abandon: () => void;
}

/** Collects the writes of one attempt. */
export interface StepTransaction {
  /** What the author's callback is given beside the usual context of a step. */
  readonly members: object;
  /**
   * Called once, when the author's callback has returned: from now on `members` refuse. May read, but not write.
   *
   * @returns null when nothing was asked for
   * @throws whatever the attempt is to fail with
   */
  prepare(): Promise<StepWrites | null>;
}

/** The step of a transaction. */
export interface TransactingStep {
  /** The same for each attempt, of which one at most is committed. */
  readonly idempotencyKey: string;
  /** Tells what its attempt does: see `StepContext.progress`. */
  readonly progress: (value: unknown) => Promise<void>;
}

/** Begins the transaction of an attempt; must be cheap, since most steps write nothing of others. */
export type BeginStepTransaction = (step: TransactingStep) => StepTransaction;

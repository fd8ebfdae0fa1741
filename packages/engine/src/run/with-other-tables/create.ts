/** Makes the engine option `stepTransactions`, for steps that write to other tables. */
import type { BeginStepTransaction } from "../../ports/step-transaction.ts";
import type { StepTransactions } from "../other-table-writes.ts";
import { Transactions } from "./transactions.ts";

/**
 * Lets the callbacks of steps and waits write to other tables. The writes are committed in the batch of the step's record.
 *
 * @param begin begins collecting the writes of one attempt, for the database of the engine's store
 */
export const transactSteps = (begin: BeginStepTransaction): StepTransactions => ({
  open: (session) => new Transactions(session, begin),
});

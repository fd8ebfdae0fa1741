/** Steps that write into other tables: what engines take as `stepTransactions`. */
import type { BeginStepTransaction } from "../../ports/step-transaction.ts";
import type { StepTransactions } from "../other-table-writes.ts";
import { Transactions } from "./transactions.ts";

/**
 * Lets the callbacks of steps and waits write into other tables, committed in the batch of the step's record.
 *
 * @param begin what collects the writes of one attempt, for the database of the engine's store
 */
export const transactSteps = (begin: BeginStepTransaction): StepTransactions => ({
  open: (session) => new Transactions(session, begin),
});

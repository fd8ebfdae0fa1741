/** @module Statements of a step on your own tables, in the store's database: committed with the step's record, or not at all. */
import type { StepContext } from "../../authoring/step-options.ts";
import { WorkflowError } from "../../core/errors.ts";
import type { OtherTableStatement } from "../../core/model/change.ts";
import type { StepTransaction } from "../../ports/step-transaction.ts";
import type { StepTransactions } from "../other-table-writes.ts";
import { assertStatement } from "./assert-statement.ts";
import { transactSteps } from "./create.ts";

/** The same in every installed copy. */
const WRITE = Symbol.for("@escapement/engine/step-sql");

interface Writable {
  readonly [WRITE]?: (statement: OtherTableStatement) => void;
}

/** Lets bodies of steps call `writeWithStep`: `createEngine({ stepTransactions: stepSql, … })`. */
export const stepSql: StepTransactions = transactSteps(() => collectStatements());

/**
 * Adds a statement that is committed with this step: `writeWithStep(context, "insert into shipped values ($1)", [event.instanceId])`.
 * Statements are sent in order, after the body has returned, and not at
 * all if it throws. If the database refuses one (a unique index, a missing table), the attempt fails as if the body had
 * thrown, and nothing of it remains.
 *
 * @param context the context that `step.do` passes to its body
 * @param text one statement in the database's own language: `$1` on Postgres, `?1` on SQLite
 * @param values by position; points in time, JSON and bigints as the text or number that the column takes
 * @throws {WorkflowError} STEP_TRANSACTION_UNSUPPORTED — the engine has no option `stepTransactions: stepSql`.
 *   STEP_TRANSACTION_CLOSED — the body has returned. STEP_STATEMENT_INVALID — no text, a statement that begins or ends a
 *   transaction, or a value of another type
 */
export function writeWithStep(
  context: StepContext,
  text: string,
  values: OtherTableStatement["values"] = [],
): void {
  const write = (context as Writable)[WRITE];
  if (write === undefined) {
    const message = "the engine was not given the option stepTransactions: stepSql";
    throw new WorkflowError("STEP_TRANSACTION_UNSUPPORTED", message);
  }
  assertStatement(text, values);
  write({ text, values });
}

function collectStatements(): StepTransaction {
  const statements: OtherTableStatement[] = [];
  let isClosed = false;
  const write = (statement: OtherTableStatement): void => {
    if (isClosed) {
      const message =
        "a statement was run after the step's body had returned; await all statements in the body";
      throw new WorkflowError("STEP_TRANSACTION_CLOSED", message);
    }
    statements.push(statement);
  };
  const writes = {
    statements,
    explain: () => null,
    complete: () => Promise.resolve(),
    abandon: () => undefined,
  };
  const members: Writable = { [WRITE]: write };
  return {
    members,
    prepare: () => {
      isClosed = true;
      return Promise.resolve(statements.length === 0 ? null : writes);
    },
  };
}

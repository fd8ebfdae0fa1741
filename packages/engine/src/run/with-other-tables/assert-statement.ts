/** Refuses what no database can commit with a step, while the author's body is on the stack. */
import { WorkflowError } from "../../core/errors.ts";

/** Comments and space before the first word. A comment ends in one place only: otherwise many of them could be passed over in too many ways. */
const LEADING = String.raw`^(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*`;

/** They would end the commit of the step in its middle: what comes before them would stay without the step's record. */
const OF_TRANSACTIONS = new RegExp(
  String.raw`${LEADING}(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b`,
  "i",
);

/** @throws {WorkflowError} STEP_STATEMENT_INVALID — callers without types may give anything */
export function assertStatement(text: unknown, values: unknown): void {
  if (typeof text !== "string" || text.trim() === "") throw invalid("its text is missing");
  if (OF_TRANSACTIONS.test(text))
    throw invalid("it begins or ends a transaction, and the step's commit is one already");
  if (!Array.isArray(values)) throw invalid("its values are no array");
  for (const [index, value] of values.entries())
    if (!isValue(value)) throw invalid(`its value ${index + 1} is ${nameOf(value)}`);
}

// No bigint: D1 and Durable Objects refuse one. As text it arrives unchanged in a column of whole numbers, on every database.
const isValue = (value: unknown): boolean =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** `Date` of `[object Date]`; primitives by their type. */
const nameOf = (value: unknown): string =>
  typeof value === "object"
    ? `of type ${Object.prototype.toString.call(value).slice("[object ".length, -1)}`
    : typeof value;

const invalid = (reason: string): WorkflowError =>
  new WorkflowError(
    "STEP_STATEMENT_INVALID",
    `a statement cannot be committed with the step: ${reason}; expected one statement, and strings, numbers, booleans or null as its values (a bigint as text)`,
  );

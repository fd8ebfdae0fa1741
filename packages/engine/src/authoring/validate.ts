/** Standard Schema validation with our error codes. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { WorkflowError } from "../core/errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";

/** A schema may report one issue per member of a value. An error has this many of them, and their total count. */
const MAX_ISSUES = 20;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 500;

/** The error for a value that does not match its schema. */
export interface ValidateOptions {
  readonly code: ErrorCode;
  /** What is validated, for the message: `the params of workflow "order"`. */
  readonly what: string;
  /** Whether `what` is plural, for the grammar of the message. @default false */
  readonly isPlural?: boolean;
}

/**
 * The schema's output for a value; without a schema, the value itself.
 *
 * @throws {WorkflowError} the code given, with `details.issues` = [{ path, message }], at most 20, and `issueCount` if there are more
 */
export async function validate(
  schema: StandardSchemaV1 | null,
  value: unknown,
  options: ValidateOptions,
): Promise<unknown> {
  if (schema === null) return value;
  const pending = schema["~standard"].validate(value);
  return toOutput(pending instanceof Promise ? await pending : pending, options);
}

/** The output of a workflow's function as its schema has it. @throws {WorkflowError} INVALID_OUTPUT */
export const validateOutput = (
  { name, output }: { readonly name: string; readonly output: StandardSchemaV1 | null },
  value: unknown,
): Promise<unknown> =>
  validate(output, value, { code: "INVALID_OUTPUT", what: `the output of workflow "${name}"` });

/**
 * Like `validate`, for callers that cannot await.
 *
 * @throws {WorkflowError} also WORKFLOW_INVALID — the schema answers with a promise
 */
export function validateNow(
  schema: StandardSchemaV1 | null,
  value: unknown,
  options: ValidateOptions,
): unknown {
  if (schema === null) return value;
  const result = schema["~standard"].validate(value);
  if (!(result instanceof Promise)) return toOutput(result, options);
  // Nobody awaits it.
  result.catch(() => undefined);
  throw new WorkflowError(
    "WORKFLOW_INVALID",
    `${options.what}: the schema validates asynchronously, and a service call in a transaction cannot wait for it`,
  );
}

function toOutput(result: StandardSchemaV1.Result<unknown>, options: ValidateOptions): unknown {
  if (result.issues === undefined) return result.value;
  const issueCount = result.issues.length;
  const issues = result.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: shorten(toPath(issue.path), MAX_PATH_LENGTH),
    message: shorten(issue.message, MAX_MESSAGE_LENGTH),
  }));
  const summary = issues
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    .join("; ");
  const fault =
    options.isPlural === true ? "do not match their schema" : "does not match its schema";
  throw new WorkflowError(options.code, `${options.what} ${fault}: ${summary}`, {
    issues,
    ...(issueCount > issues.length ? { issueCount } : {}),
  });
}

const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

const toPath = (path: StandardSchemaV1.Issue["path"]): string =>
  (path ?? [])
    .slice(0, MAX_PATH_LENGTH)
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .join(".");

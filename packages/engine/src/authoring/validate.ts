/** Standard Schema validation with our error codes. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { WorkflowError, type ErrorCode } from "../core/errors.ts";

interface ValidateOptions {
  readonly code: ErrorCode;
  /** What is validated, for the message: `params of workflow "order"`. */
  readonly what: string;
}

/**
 * The schema's output for a value; without a schema, the value itself.
 *
 * @throws {WorkflowError} the code given, with `details.issues` = [{ path, message }]
 */
export async function validate(
  schema: StandardSchemaV1 | null,
  value: unknown,
  options: ValidateOptions,
): Promise<unknown> {
  if (schema === null) return value;
  const pending = schema["~standard"].validate(value);
  const result = pending instanceof Promise ? await pending : pending;
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map((issue) => ({
    path: toPath(issue.path),
    message: issue.message,
  }));
  const summary = issues
    .map((issue) => `${issue.path === "" ? "value" : issue.path}: ${issue.message}`)
    .join("; ");
  throw new WorkflowError(options.code, `${options.what} does not fit its schema: ${summary}`, {
    issues,
  });
}

const toPath = (path: StandardSchemaV1.Issue["path"]): string =>
  (path ?? [])
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .join(".");

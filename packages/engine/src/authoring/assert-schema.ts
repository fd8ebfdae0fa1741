/** Checks of schemas when they are declared. What validates with them is loaded when there is something to validate. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { WorkflowError } from "../core/errors.ts";

/**
 * Checks what callers without types give as a schema: a JSON schema, or one of a library that is too old, would fail later.
 *
 * @param schema null: there is none
 * @throws {WorkflowError} WORKFLOW_INVALID
 */
export function assertSchema(schema: unknown, what: string): void {
  const standard = (Object(schema) as Partial<StandardSchemaV1>)["~standard"];
  if (schema === null || typeof standard?.validate === "function") return;
  const message = `${what} is not a Standard Schema; expected one, for example of zod 3.24, valibot 1 or arktype 2`;
  throw new WorkflowError("WORKFLOW_INVALID", message, { what });
}

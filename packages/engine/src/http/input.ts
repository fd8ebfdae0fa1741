/** Turns a request into typed input, or into an INVALID_REQUEST that names each wrong field. */
import { getDotPath, safeParse, type BaseIssue } from "valibot";
import { WorkflowError } from "../core/errors.ts";
import { invalidRequest, MAX_ISSUES, unknownField, type Wrong } from "./issues.ts";
import { anyShape } from "./schemas.ts";
import type { Shape } from "./value-shapes.ts";

const MAX_RECEIVED_LENGTH = 80;

/**
 * Checks a value against a shape.
 *
 * @param place the first segment of the paths in `details.issues`
 * @throws {WorkflowError} INVALID_REQUEST with `details.issues`, at most 20
 */
export function parseShape<Output>(shape: Shape<Output>, value: unknown, place: string): Output {
  // valibot's objects accept arrays too; an empty one would pass as an object without its optional fields.
  if (Array.isArray(value) && shape !== anyShape) {
    throw invalidRequest([{ path: place, expected: "an object", received: "an array" }]);
  }
  const result = safeParse(shape, value);
  if (result.success) return result.output;
  throw invalidRequest(
    result.issues.slice(0, MAX_ISSUES).map((issue) => toIssue(issue, place, shape)),
  );
}

/**
 * Counts the instances in a batch's body before it checks any of them.
 *
 * @throws {WorkflowError} BATCH_TOO_LARGE
 */
export function assertBatchCount(body: unknown, maxBatchSize: number): void {
  const isObject = typeof body === "object" && body !== null && "instances" in body;
  const size = isObject && Array.isArray(body.instances) ? body.instances.length : 0;
  if (size <= maxBatchSize) return;
  const message = `A batch has at most ${maxBatchSize} instances, got ${size}.`;
  throw new WorkflowError("BATCH_TOO_LARGE", message, { size, maxBatchSize });
}

/**
 * The parameters of a URL as a record with only the keys that were given.
 *
 * @throws {WorkflowError} INVALID_REQUEST if one is given twice, because it is unclear which one is meant
 */
export function parseQuery(url: URL): Readonly<Record<string, string>> {
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (query.has(name)) {
      const path = `query.${name.slice(0, MAX_RECEIVED_LENGTH)}`;
      throw invalidRequest([{ path, expected: "one value", received: "several" }]);
    }
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

function toIssue(issue: BaseIssue<unknown>, place: string, shape: Shape<unknown>): Wrong {
  const below = getDotPath(issue);
  const path = below === null ? place : `${place}.${below.slice(0, MAX_RECEIVED_LENGTH)}`;
  const isUnknownField = issue.expected === "never";
  if (isUnknownField) return unknownField(path, issue.path?.length === 1 ? fieldsOf(shape) : []);
  return {
    path,
    // A check() has no `expected`; its message serves instead.
    expected: issue.expected ?? issue.message,
    received: shorten(issue.received === "undefined" ? "nothing" : issue.received),
  };
}

/** The names of a shape's own fields; nested fields are described in the reference. */
const fieldsOf = (shape: Shape<unknown>): readonly string[] =>
  "entries" in shape && typeof shape.entries === "object" ? Object.keys(shape.entries ?? {}) : [];

function shorten(text: string): string {
  return text.length <= MAX_RECEIVED_LENGTH ? text : `${text.slice(0, MAX_RECEIVED_LENGTH - 1)}…`;
}

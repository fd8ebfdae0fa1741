/** JSON answers, and the one place where an error becomes an answer. */
import { toJsonView } from "../core/json-view.ts";
import { statusOf, type ErrorCode } from "../core/error-codes.ts";
import { WorkflowError, type ErrorDetails } from "../core/errors.ts";

/** The most characters of an error's details; its message may have a quarter of that. */
const MAX_DETAILS_LENGTH = 64 * 1024;
const MAX_MESSAGE_LENGTH = 16 * 1024;

/** The body of every error answer. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: ErrorDetails;
    /** The page that explains the code. */
    readonly docs: string;
  };
  /**
   * `error.code` and `error.message` again: Fragno's generated clients read them from the top of the body.
   *
   * @source @fragno-dev/core 0.1.11, src/client/client-error.ts, `FragnoClientApiError.fromResponse`, read 2026-11-21
   */
  readonly code: ErrorCode;
  readonly message: string;
}

/** An answer in JSON. It is never cached, because state changes by itself, and never sniffed as another type. */
export function toJsonResponse(
  value: unknown,
  status: number = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(toJsonView(value), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** The caught value if it is a WorkflowError, otherwise INVARIANT_BROKEN with the value as its cause. */
export function toWorkflowError(caught: unknown): WorkflowError {
  if (WorkflowError.is(caught)) return caught;
  return new WorkflowError("INVARIANT_BROKEN", "Unexpected error.", {}, caught);
}

/**
 * The answer for an error. From status 500 on, the message only repeats the status and details stay empty: what a database or a bug
 * reveals belongs in the log.
 */
export function toErrorResponse(
  error: WorkflowError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { code } = error;
  const status = statusOf(code);
  const isInternal = status >= 500;
  const message = isInternal ? internalMessage(status) : shorten(error.message);
  const details = isInternal ? {} : toEncodable(error.details);
  const body: ErrorBody = { error: { code, message, details, docs: error.docs }, code, message };
  return toJsonResponse(body, status, headers);
}

/**
 * Details may contain values from a schema library or a host. An error about one value must not fail because of another, or answer a
 * small request with a large text.
 */
function toEncodable(details: ErrorDetails): ErrorDetails {
  try {
    return JSON.stringify(details).length <= MAX_DETAILS_LENGTH ? details : { truncated: true };
  } catch {
    return {};
  }
}

const shorten = (text: string): string =>
  text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH)}…`;

const internalMessage = (status: number): string =>
  status === 503 ? "The store is unavailable." : "Unexpected error.";

/**
 * The answer for a path without a route, or with a route for other methods.
 *
 * @param allow      the methods that the path has
 * @param mountRoute where the API is mounted, for a caller with a wrong prefix
 */
export function refuseUnmatched(allow: readonly string[], mountRoute?: string): Response {
  if (allow.length === 0) {
    const where =
      mountRoute === undefined ? "" : ` The API's paths begin with ${mountRoute}/workflows.`;
    return toErrorResponse(new WorkflowError("ROUTE_NOT_FOUND", `No route has that path.${where}`));
  }
  const methods = allow.join(", ");
  const message = `The path accepts ${methods}.`;
  return toErrorResponse(new WorkflowError("METHOD_NOT_ALLOWED", message, { allow }), {
    allow: methods,
  });
}

/** What the caller is told of an error, and what only the log is told. */
import { toErrorRecord } from "../core/error-record.ts";
import { statusOf } from "../core/error-codes.ts";
import type { WorkflowError } from "../core/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { toErrorResponse, toWorkflowError } from "./answer.ts";
import { invalidRequest } from "./issues.ts";

/** Makes an error the answer, and tells the log what the caller is not told. */
export function answerError(logger: Logger, caught: unknown, route: string | null): Response {
  const error = toWorkflowError(caught);
  const { code, details } = error;
  if (statusOf(code) >= 500) {
    logger.log("error", "http.failed", { route, code, details, ...describe(error) });
  } else if (code.startsWith("TICK_")) logRefusal(logger, error, { route });
  else noteRefusal(logger, error, { route });
  return toErrorResponse(
    error,
    code === "TICK_UNAUTHORIZED" ? { "www-authenticate": "Bearer" } : {},
  );
}

/** Tells the log of a refusal that has a cause: it may be a mistake of whoever was asked. @param of what was refused */
export function noteRefusal(
  logger: Logger,
  caught: unknown,
  of: Readonly<Record<string, unknown>>,
): void {
  const error = toWorkflowError(caught);
  if (error.cause !== undefined) logRefusal(logger, error, of);
}

/** A refusal of ours says all in its code and details; its stack is always the same. */
function logRefusal(
  logger: Logger,
  { code, details, cause }: WorkflowError,
  of: Readonly<Record<string, unknown>>,
): void {
  const told = cause === undefined ? {} : describe(cause);
  logger.log("warn", "http.refused", { ...of, code, details, ...told });
}

/** The answer for a URL that cannot be read: `%zz` is nobody's name. */
export function refuseBrokenPath(logger: Logger): Response {
  const expected = "a host, and a path in percent-encoded UTF-8";
  const error = invalidRequest([{ path: "url", expected, received: "a broken one" }]);
  return answerError(logger, error, null);
}

/** What the log needs of an error: its cause says what happened. Whatever was thrown, the caller has an answer. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  const record = toErrorRecord(error);
  const { name, message, stack } = record.cause ?? record;
  return { errorName: name, errorMessage: message, stack };
}

/** Splits an error between the caller and the log. */
import { toErrorRecord } from "../core/error-record.ts";
import { statusOf } from "../core/error-codes.ts";
import type { WorkflowError } from "../core/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { toErrorResponse, toWorkflowError } from "./answer.ts";
import { invalidRequest } from "./issues.ts";

/** Turns an error into the answer, and logs what the caller is not to see. */
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

/** Logs a refusal that has a cause, which may be a mistake of the host's code. @param of the refused request */
export function noteRefusal(
  logger: Logger,
  caught: unknown,
  of: Readonly<Record<string, unknown>>,
): void {
  const error = toWorkflowError(caught);
  if (error.cause !== undefined) logRefusal(logger, error, of);
}

/** Logs only code and details. The stack of our own refusals is always the same. */
function logRefusal(
  logger: Logger,
  { code, details, cause }: WorkflowError,
  of: Readonly<Record<string, unknown>>,
): void {
  const told = cause === undefined ? {} : describe(cause);
  logger.log("warn", "http.refused", { ...of, code, details, ...told });
}

/** The answer for a URL that cannot be decoded, such as `%zz`. */
export function refuseBrokenPath(logger: Logger): Response {
  const expected = "a host, and a path in percent-encoded UTF-8";
  const error = invalidRequest([{ path: "url", expected, received: "a broken one" }]);
  return answerError(logger, error, null);
}

/** The fields of an error for the log, with its cause. It never throws, so that the caller gets an answer whatever was thrown. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  const record = toErrorRecord(error);
  const { name, message, stack } = record.cause ?? record;
  return { errorName: name, errorMessage: message, stack };
}

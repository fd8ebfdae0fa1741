/** What the caller is told of an error, and what only the log is told. */
import { statusOf } from "../core/errors.ts";
import type { Logger } from "../ports/logger.ts";
import { toErrorResponse, toWorkflowError } from "./answer.ts";

/** Makes an error the answer, and tells the log what the caller is not told. */
export function answerError(logger: Logger, caught: unknown, route: string | null): Response {
  const error = toWorkflowError(caught);
  const { code, details } = error;
  if (statusOf(code) >= 500) {
    logger.log("error", "http.failed", { route, code, details, ...describe(error) });
  } else if (code.startsWith("TICK_") || error.cause !== undefined) {
    const cause = describe(error.cause ?? error);
    logger.log("warn", "http.refused", { route, code, details, ...cause });
  }
  return toErrorResponse(
    error,
    code === "TICK_UNAUTHORIZED" ? { "www-authenticate": "Bearer" } : {},
  );
}

/** What the log needs of an error: the innermost cause says what happened. */
function describe(error: unknown): Readonly<Record<string, unknown>> {
  const innermost = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(innermost instanceof Error))
    return { errorName: typeof innermost, errorMessage: String(innermost) };
  const { name, message, stack } = innermost;
  return { errorName: name, errorMessage: message, stack: stack ?? null };
}

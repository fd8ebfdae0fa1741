/** The answer of a process that cannot load the code that answers, for example because a deploy removed its file. */
import { toLogFields, WorkflowError } from "../core/errors.ts";
import type { Logger } from "../ports/logger.ts";

/** Logs the cause, once a minute. The next request tries again. @param logger see `limitLog` */
export function refuseUnloaded(logger: Logger, error: unknown): Response {
  logger.log("error", "http.failed", { route: null, ...toLogFields(error) });
  const { code, message, docs } = new WorkflowError("INVARIANT_BROKEN", "Unexpected error.");
  const body = { error: { code, message, details: {}, docs }, code, message };
  return Response.json(body, { status: 500, headers: { "cache-control": "no-store" } });
}

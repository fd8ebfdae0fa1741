/** Answers for errors, by code that is loaded with the first of them. */
import { late } from "../core/late.ts";
import type { WorkflowError } from "../core/errors.ts";

const answers = /* @__PURE__ */ late(() => import("./answer.ts"));

/** The answer for an error, in JSON, with the status of its code. From status 500 on it tells nothing but the code: the rest belongs in the log. */
export async function answerRefusal(
  error: WorkflowError,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> {
  const { toErrorResponse } = await answers();
  return toErrorResponse(error, headers);
}

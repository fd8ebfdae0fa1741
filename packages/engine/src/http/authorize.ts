/** Asks the host whether a request may pass. Anything but a clear yes is a no. */
import { WorkflowError } from "../core/errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { type Access, type Authorize, type AuthorizeContext, isGuarded } from "./access.ts";

/**
 * Asks every authorizer that applies to a request.
 *
 * @returns the Response to give instead, or null to continue
 * @throws {WorkflowError} UNAUTHORIZED — also if no authorizer applies and `open` is not set; FORBIDDEN; what a host threw
 */
export async function authorizeAccess(
  access: Access,
  context: AuthorizeContext,
): Promise<Response | null> {
  const { authorizeRequest, policies, open } = access;
  if (open !== true && !isGuarded(access, context.policy)) {
    const message =
      "The management API is closed: the application has no authorizer for this route (http.authorizeRequest).";
    throw new WorkflowError("UNAUTHORIZED", message);
  }
  // The holder of a callback's token is not known to the host.
  const first = context.policy === "callback" ? undefined : authorizeRequest;
  const refusal = await authorize(first, context, "UNAUTHORIZED");
  return refusal ?? authorize(policies?.[context.policy], context, "FORBIDDEN");
}

/**
 * Runs one authorizer.
 *
 * @param refusalCode the code of a refusal without a Response or a code of its own
 * @returns the Response to give instead, or null to continue
 * @throws {WorkflowError} `refusalCode`, or the WorkflowError that the host threw
 */
async function authorize(
  check: Authorize | undefined,
  context: AuthorizeContext,
  refusalCode: "UNAUTHORIZED" | "FORBIDDEN",
): Promise<Response | null> {
  if (check === undefined) return null;
  const verdict: unknown = await askHost(check, context, refusalCode);
  // `false`, `null` or another object may mean no, so only undefined means yes.
  if (verdict === undefined) return null;
  if (isResponse(verdict)) return verdict;
  throw refuse(refusalCode);
}

async function askHost(
  check: Authorize,
  context: AuthorizeContext,
  refusalCode: ErrorCode,
): Promise<unknown> {
  try {
    return await check(context);
  } catch (thrown) {
    if (isResponse(thrown)) return thrown;
    throw WorkflowError.is(thrown) ? thrown : refuse(refusalCode, thrown);
  }
}

function refuse(code: ErrorCode, cause?: unknown): WorkflowError {
  return new WorkflowError(
    code,
    "The authorizer of this application does not allow the request.",
    {},
    cause,
  );
}

/** Tested by shape, because a host's Response may come from another realm or package. */
export function isResponse(value: unknown): value is Response {
  return (
    typeof value === "object" &&
    value !== null &&
    "status" in value &&
    "headers" in value &&
    "body" in value
  );
}

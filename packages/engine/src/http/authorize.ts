/** Asks the host whether a request may pass. Anything but a clear yes is a no. */
import { WorkflowError } from "../core/errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { isGuarded } from "./is-guarded.ts";
import type { Bytes } from "./request-body.ts";
import type { HttpRoute, RoutePolicy } from "./route.ts";
import type { RouteName } from "./route-types.ts";

/** The context of a host's authorization. */
export interface AuthorizeContext {
  /** Use it for headers and URL. Read its body through `readBody`, because it can be read only once. */
  readonly request: Request;
  readonly routeName: RouteName;
  readonly route: HttpRoute;
  readonly policy: RoutePolicy;
  /** Segments of the path, decoded but not checked: `workflowName`, `instanceId`. */
  readonly params: Readonly<Record<string, string>>;
  /** The raw body, within the route's size limit; empty on routes without a body. @throws PAYLOAD_TOO_LARGE */
  readonly readBody: () => Promise<Bytes>;
}

/**
 * Returns nothing to let the request pass, or the Response to give instead. Throwing refuses: a thrown Response is given
 * as it is, a WorkflowError with its code, anything else as UNAUTHORIZED (`authorizeRequest`) or FORBIDDEN (policies).
 */
export type Authorize = (context: AuthorizeContext) => Response | void | Promise<Response | void>;

/** The host's rules about who may do what. */
export interface Access {
  readonly authorizeRequest?: Authorize | undefined;
  readonly policies?: Readonly<Partial<Record<RoutePolicy, Authorize>>> | undefined;
  /** Routes without an authorizer let everyone pass. @default they are closed */
  readonly open?: true | undefined;
}

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
  return new WorkflowError(code, "The host refused the request.", {}, cause);
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

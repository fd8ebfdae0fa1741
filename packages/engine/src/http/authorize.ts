/** Asks the host whether a request may pass. Anything but a clear yes is a no. */
import { WorkflowError } from "../core/errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { Bytes } from "./request-body.ts";
import type { HttpRoute, RoutePolicy } from "./route.ts";
import type { RouteName } from "./route-types.ts";

/** What a host's authorization is told. */
export interface AuthorizeContext {
  /** For its headers and URL. Its body must be read through `readBody`, since it can be read only once. */
  readonly request: Request;
  readonly routeName: RouteName;
  readonly route: HttpRoute;
  readonly policy: RoutePolicy;
  /** Segments of the path, decoded but not checked: `workflowName`, `instanceId`. */
  readonly params: Readonly<Record<string, string>>;
  /** The raw body, within the route's size limit; empty on routes that take none. @throws PAYLOAD_TOO_LARGE */
  readonly readBody: () => Promise<Bytes>;
}

/**
 * Returns nothing to let the request pass, or the Response to give instead. Throwing refuses: a thrown Response is given
 * as it is, a WorkflowError with its code, anything else as UNAUTHORIZED (`authorizeRequest`) or FORBIDDEN (policies).
 */
export type Authorize = (context: AuthorizeContext) => Response | void | Promise<Response | void>;

/** The host's answers to who may do what. */
export interface Access {
  readonly authorizeRequest?: Authorize | undefined;
  readonly policies?: Readonly<Partial<Record<RoutePolicy, Authorize>>> | undefined;
  /** Routes without an authorizer let everybody pass. @default they are closed */
  readonly open?: true | undefined;
}

/** Routes of the policy have somebody who is asked; ticks and callbacks have secrets of their own. */
export const isGuarded = ({ authorizeRequest, policies }: Access, policy: RoutePolicy): boolean =>
  policy === "tick" ||
  policy === "callback" ||
  authorizeRequest !== undefined ||
  policies?.[policy] !== undefined;

/**
 * Asks everybody who has a say in a request.
 *
 * @returns the Response to give instead, or null to go on
 * @throws {WorkflowError} UNAUTHORIZED — also where nobody has a say and `open` is not set; FORBIDDEN; what a host threw
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
  // Who has a callback's token is somebody that the host has never heard of.
  const first = context.policy === "callback" ? undefined : authorizeRequest;
  const refusal = await authorize(first, context, "UNAUTHORIZED");
  return refusal ?? authorize(policies?.[context.policy], context, "FORBIDDEN");
}

/**
 * Runs one authorization.
 *
 * @param refusalCode what a refusal without a Response or a code of its own becomes
 * @returns the Response to give instead, or null to go on
 * @throws {WorkflowError} `refusalCode`, or the WorkflowError that the host threw
 */
async function authorize(
  check: Authorize | undefined,
  context: AuthorizeContext,
  refusalCode: "UNAUTHORIZED" | "FORBIDDEN",
): Promise<Response | null> {
  if (check === undefined) return null;
  const verdict: unknown = await askHost(check, context, refusalCode);
  // `false`, `null` or a stray object may mean no; only nothing at all means yes.
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

/** By shape, since a host may bring a Response of another realm or package. */
export function isResponse(value: unknown): value is Response {
  return (
    typeof value === "object" &&
    value !== null &&
    "status" in value &&
    "headers" in value &&
    "body" in value
  );
}

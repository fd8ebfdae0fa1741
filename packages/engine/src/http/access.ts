/**
 * The host's rules about who may do what. Separate from the code that asks its authorizers, because an engine knows at its start which
 * routes are open.
 */
import { assertKnownOptions } from "../core/known-names.ts";
import { invalidOption } from "./invalid-option.ts";
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

/** Whether an authorizer guards the routes of a policy. Ticks and callbacks have their own secrets. */
export const isGuarded = ({ authorizeRequest, policies }: Access, policy: RoutePolicy): boolean =>
  policy === "tick" ||
  policy === "callback" ||
  authorizeRequest !== undefined ||
  policies?.[policy] !== undefined;

const POLICIES: Readonly<Record<RoutePolicy, 1>> = {
  create: 1,
  manage: 1,
  delete: 1,
  events: 1,
  read: 1,
  view: 1,
  payloads: 1,
  tick: 1,
  callback: 1,
};

/** A misspelt policy would guard nothing. @throws {WorkflowError} UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID */
export function assertAccess({ authorizeRequest, policies = {} }: Access): void {
  assertKnownOptions("http.policies", policies, POLICIES);
  assertAuthorizer(authorizeRequest, "authorizeRequest");
  for (const [policy, check] of Object.entries(policies))
    assertAuthorizer(check, `policies.${policy}`);
}

function assertAuthorizer(check: unknown, path: string): void {
  if (check !== undefined && typeof check !== "function")
    throw invalidOption(path, "a function, such as bearerAuth gives");
}

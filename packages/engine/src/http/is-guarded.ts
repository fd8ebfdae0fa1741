/** Separate from the code that asks the authorizers, because an engine knows at its start which routes are open. */
import type { Access } from "./authorize.ts";
import type { RoutePolicy } from "./route.ts";

/** Whether an authorizer guards the routes of a policy. Ticks and callbacks have their own secrets. */
export const isGuarded = ({ authorizeRequest, policies }: Access, policy: RoutePolicy): boolean =>
  policy === "tick" ||
  policy === "callback" ||
  authorizeRequest !== undefined ||
  policies?.[policy] !== undefined;

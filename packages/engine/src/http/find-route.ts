/** Finds the route for a request: the one place where the API's paths are parsed. */
import { parseMountRoute } from "./mount.ts";
import { matchSegments, splitPattern, toSegments } from "./path.ts";
import { HTTP_ROUTES, listRoutes } from "./routes.ts";
import type { RouteName } from "./route-types.ts";
import type { HttpRoute } from "./route.ts";

/** A route, and the segments of its path. */
export interface FoundRoute {
  readonly routeName: RouteName;
  readonly route: HttpRoute;
  /** Decoded segments of the path: `workflowName`, `instanceId`. Not checked. */
  readonly params: Readonly<Record<string, string>>;
}

/** The result of looking up a request's method and path. */
export type RouteLookup =
  | FoundRoute
  /** No route has the path, or none has the method. */
  | { readonly routeName: null; readonly allow: readonly string[] }
  /** The path has a broken escape. */
  | null;

/**
 * Creates the lookup for the API's mount path. HEAD finds what GET would, except ticks.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID — not a path of plain segments
 */
export function createRouteLookup(
  mountRoute: string,
): (method: string, pathname: string) => RouteLookup {
  const mount = parseMountRoute(mountRoute);
  const table = listRoutes().map(([routeName, route]) => ({
    routeName,
    route,
    pattern: splitPattern(`${mount}${route.path}`),
  }));
  return (method, pathname) => {
    const segments = toSegments(pathname);
    if (segments === null) return null;
    const allow: string[] = [];
    for (const { routeName, route, pattern } of table) {
      const params = matchSegments(pattern, segments);
      if (params === null) continue;
      if (route.method === toRouteMethod(method, route)) return { routeName, route, params };
      allow.push(route.method);
    }
    return { routeName: null, allow };
  };
}

/** HEAD asks for the headers of GET; but it must not cause a tick. */
function toRouteMethod(method: string, { path }: HttpRoute): string {
  return method === "HEAD" && path !== HTTP_ROUTES.tick.path ? "GET" : method;
}

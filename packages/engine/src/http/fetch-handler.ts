/** Mounts the route table on Hono and answers web requests. */
import { Hono } from "hono/tiny";
import type { EngineService } from "../ports/service.ts";
import { refuseUnmatched } from "./answer.ts";
import { answerCall } from "./call.ts";
import { answerError } from "./answer-error.ts";
import { createShell, type FetchHandlerOptions, type Shell } from "./options.ts";
import type { HttpRoute } from "./route.ts";
import { HTTP_ROUTES, listRoutes, type RouteName } from "./routes.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

/** Methods that a path would have taken, gathered while routes pass a request on. */
interface HonoTypes {
  Variables: { allow?: readonly string[] };
}

interface NamedRoute {
  readonly routeName: RouteName;
  readonly route: HttpRoute;
}

/**
 * Makes the HTTP API of an engine: every request gets a Response, never a rejection.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when an option cannot work
 */
export function createFetchHandler(
  service: EngineService,
  options: FetchHandlerOptions = {},
): FetchHandler {
  const shell = createShell(service, options);
  const app = mountRoutes(shell);
  return async (request) => app.fetch(request);
}

/** All methods of a path in one place, so that a known path with another method is told from an unknown path. */
function mountRoutes(shell: Shell): Hono<HonoTypes> {
  const app = new Hono<HonoTypes>();
  for (const [path, byMethod] of groupByPath()) {
    app.all(`${shell.mountRoute}${path}`, async (context, next) => {
      const found = byMethod.get(toRouteMethod(context.req.method, path));
      if (found === undefined) {
        context.set("allow", [...(context.get("allow") ?? []), ...byMethod.keys()]);
        return next();
      }
      return answerCall(shell, {
        ...found,
        request: context.req.raw,
        params: context.req.param(),
      });
    });
  }
  app.notFound((context) => refuseUnmatched(context.get("allow") ?? []));
  app.onError((caught) => answerError(shell.logger, caught, null));
  return app;
}

function groupByPath(): ReadonlyMap<string, ReadonlyMap<string, NamedRoute>> {
  const groups = new Map<string, Map<string, NamedRoute>>();
  for (const [routeName, route] of listRoutes()) {
    const group = groups.get(route.path) ?? new Map<string, NamedRoute>();
    groups.set(route.path, group.set(route.method, { routeName, route }));
  }
  return groups;
}

/** HEAD asks for what GET would say; but a tick is not something to have a look at. */
function toRouteMethod(method: string, path: string): string {
  return method === "HEAD" && path !== HTTP_ROUTES.tick.path ? "GET" : method;
}

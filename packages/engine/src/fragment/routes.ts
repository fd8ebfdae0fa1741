/** The HTTP table as Fragno's routes. */
import type { RouteFactory } from "@fragno-dev/core";
import { answerCall, type Call } from "../http/call.ts";
import { createShell, type Shell } from "../http/options.ts";
import { listRoutes } from "../http/routes.ts";
import type { EngineService } from "../ports/service.ts";
import type { FragmentHost } from "./fragment-host.ts";
import { toRouteConfig, type RouteRequest, type WorkflowsRoutes } from "./clients/routes.ts";

/**
 * Every route of the table, answered as by the engine's own handler: authorization, limits, codes, bodies.
 *
 * @param service the engine, or what files hooks around it
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function createRoutes(
  host: FragmentHost,
  service: () => EngineService,
): RouteFactory<unknown, unknown, unknown, unknown, WorkflowsRoutes> {
  const options = { logger: host.context.logger, ...host.http, mountRoute: host.mountRoute };
  const shell = createShell(host.engine, options);
  return () =>
    listRoutes().map(([routeName, route]) =>
      toRouteConfig(route, async (input) =>
        answerCall(
          { ...shell, service: service() },
          await toCall(shell, { routeName, route }, input),
        ),
      ),
    ) as unknown as WorkflowsRoutes;
}

/** The request again, after Fragno has taken it apart and middleware has had its say. */
async function toCall(
  { mountRoute }: Shell,
  target: Pick<Call, "route" | "routeName">,
  input: RouteRequest,
): Promise<Call> {
  const { method } = target.route;
  const params = Object.fromEntries(
    Object.entries(input.pathParams).map(([name, value]) => [name, decodeSegment(value)]),
  );
  const url = new URL(`${mountRoute}${toPath(target.route.path, params)}`, "http://fragment");
  url.search = input.query.toString();
  const headers = new Headers(input.headers);
  // The body may be another text by now than the one whose length came with it.
  headers.delete("content-length");
  const body = await readBody(input, headers);
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
  return { ...target, params, request };
}

/** The body as it came; of a call without a request (`callRoute`), what it was called with. */
async function readBody(input: RouteRequest, headers: Headers): Promise<string | undefined> {
  if (input.method === "GET" || input.rawBody !== undefined) return input.rawBody;
  const given = await input.input?.valid();
  if (given === undefined) return undefined;
  headers.set("content-type", "application/json");
  return JSON.stringify(given);
}

/** Fragno leaves segments encoded. A broken escape is nobody's name, and stays as it is. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const toPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));

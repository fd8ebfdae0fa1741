/** The HTTP table as Fragno's routes. */
import type { RouteFactory } from "@fragno-dev/core";
import {
  answerAdmitted,
  answerCall,
  type Call,
  listRoutes,
  type Shell,
} from "@escapement/engine/internal";
import { type Door, TICKET_HEADER } from "./door.ts";
import { toRouteConfig, type RouteRequest, type WorkflowsRoutes } from "./clients/routes.ts";

/** Every route of the table, answered like by the engine's own handler: authorization, limits, codes, bodies. */
export function createRoutes(
  shell: Shell,
  door: Door,
): RouteFactory<unknown, unknown, unknown, unknown, WorkflowsRoutes> {
  return () =>
    listRoutes().map(([routeName, route]) =>
      toRouteConfig(routeName, route, (input) =>
        answer(shell, door, { target: { routeName, route }, input }),
      ),
    ) as unknown as WorkflowsRoutes;
}

type Target = Pick<Call, "route" | "routeName">;

async function answer(
  shell: Shell,
  door: Door,
  { target, input }: { readonly target: Target; readonly input: RouteRequest },
): Promise<Response> {
  const params = Object.fromEntries(
    Object.entries(input.pathParams).map(([name, value]) => [name, decodeSegment(value)]),
  );
  const admitted = door.admittedBy(input.headers);
  if (admitted === null) {
    const request = await toRequest(shell, { ...target, params }, input);
    // A call by the host's own code: authorizers are asked if there are any, but none is required.
    return answerCall(
      { ...shell, options: { ...shell.options, open: true } },
      { ...target, params, request },
    );
  }
  const request = await toRequest(shell, { ...target, params }, input, admitted.request);
  const isSame = Object.entries(params).every(([name, value]) => admitted.params[name] === value);
  // If middleware redirects a request, it is no longer the one that the host was asked about.
  if (!isSame) return answerCall(shell, { ...target, params, request });
  return answerAdmitted(shell, { ...admitted, params, request });
}

/** Rebuilds the request after Fragno has parsed it and middleware has run. */
async function toRequest(
  { mountRoute }: Shell,
  { route: { method, path }, params }: Pick<Call, "route" | "params">,
  input: RouteRequest,
  { url: base, signal }: { readonly url: string; readonly signal?: AbortSignal } = {
    url: "http://fragment",
  },
): Promise<Request> {
  const url = new URL(`${mountRoute}${toPath(path, params)}`, base);
  url.search = input.query.toString();
  const headers = new Headers(input.headers);
  headers.delete(TICKET_HEADER);
  // The body may have another length by now.
  headers.delete("content-length");
  const body = await readBody(input, headers);
  return new Request(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal && { signal }),
  });
}

/** The original body; for a call without a request (`callRoute`), its argument. */
async function readBody(input: RouteRequest, headers: Headers): Promise<string | undefined> {
  if (input.method === "GET" || input.rawBody !== undefined) return input.rawBody;
  const given = await input.input?.valid();
  if (given === undefined) return undefined;
  headers.set("content-type", "application/json");
  return JSON.stringify(given);
}

/** Fragno leaves segments encoded. A segment with an invalid escape stays as it is, and matches no name. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const toPath = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));

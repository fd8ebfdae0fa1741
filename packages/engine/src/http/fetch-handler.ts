/** Answers web requests by the route table. */
import { late } from "../core/late.ts";
import type { EngineService } from "../ports/service.ts";
import { refuseUnmatched } from "./answer.ts";
import { answerError, refuseBrokenPath } from "./answer-error.ts";
import { answerCall } from "./call.ts";
import { createRouteLookup, type RouteLookup } from "./find-route.ts";
import {
  type AnsweringPlatform,
  createShell,
  type FetchHandlerOptions,
  type Shell,
  warnOfUnguarded,
} from "./options.ts";
import { toRequestLogger } from "./mount.ts";
import type { ProbeName, Probes } from "./probes.ts";

const probing = late(() => import("./probes.ts"));

/** Answers requests of the HTTP API. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** The part of an engine that answering requests needs. */
export interface FetchEngine {
  readonly fetch: FetchHandler;
}

/**
 * Creates the HTTP API of an engine. Every request gets a Response, never a rejection. It logs once which routes are open, and which
 * are closed because there is no authorizer.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when an option cannot work
 */
export function createFetchHandler(
  service: EngineService,
  options: FetchHandlerOptions = {},
): FetchHandler {
  const { handler, warn } = prepareFetchHandler(service, options);
  warn();
  return handler;
}

/** Like `createFetchHandler`, for callers who decide later whether to use the handler. `warn` logs the warnings then. */
export function prepareFetchHandler(
  service: EngineService,
  options: FetchHandlerOptions,
  platform?: AnsweringPlatform,
): { readonly handler: FetchHandler; readonly warn: () => void } {
  const shell = createShell(service, options, platform);
  const find = createRouteLookup(shell.mountRoute);
  let loaded: Promise<Probes> | undefined;
  // Only one, however many requests come before it is loaded, because it limits the database's trips. If loading fails, the next
  // request tries again.
  const probes = (): Promise<Probes> =>
    (loaded ??= Promise.resolve(probing()).then(
      ({ createProbes }) => createProbes(shell),
      (error: unknown) => {
        loaded = undefined;
        throw error;
      },
    ));
  return {
    handler: async (request) => {
      const answer = await answerRequest(shell, request, { find, probes });
      return request.method === "HEAD" ? new Response(null, answer) : answer;
    },
    warn: () => warnOfUnguarded(shell, toRequestLogger(options.logger)),
  };
}

interface Lookups {
  readonly find: (method: string, pathname: string) => RouteLookup;
  readonly probes: () => Promise<Probes>;
}

async function answerRequest(
  shell: Shell,
  request: Request,
  { find, probes }: Lookups,
): Promise<Response> {
  try {
    // A server builds the URL from whatever host a client names.
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    const found = url === null ? null : find(request.method, url.pathname);
    if (found === null) return refuseBrokenPath(shell.logger);
    if (found.routeName === null) {
      const probe = url === null ? null : toProbe(shell, url.pathname);
      if (probe === null || found.allow.length > 0)
        return refuseUnmatched(found.allow, shell.mountRoute);
      return await (
        await probes()
      )(probe, request.method);
    }
    return await answerCall(shell, { ...found, request });
  } catch (caught) {
    return answerError(shell.logger, caught, null);
  }
}

const PROBES: readonly ProbeName[] = ["health", "ready"];

/** Probes are not in the route table and need no authorization. null: not a probe. */
function toProbe({ mountRoute }: Shell, pathname: string): ProbeName | null {
  const path = pathname.replace(/\/$/u, "");
  return PROBES.find((name) => path === `${mountRoute}/${name}`) ?? null;
}

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

/** All that answering requests needs of an engine. */
export interface FetchEngine {
  readonly fetch: FetchHandler;
}

/**
 * Creates the HTTP API of an engine. Every request gets a Response, never a rejection. It logs once what it leaves open, and
 * what it closes because there is no authorizer.
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

/** As `createFetchHandler`, for who decides later whether the handler is used at all: `warn` says it then. */
export function prepareFetchHandler(
  service: EngineService,
  options: FetchHandlerOptions,
  platform?: AnsweringPlatform,
): { readonly handler: FetchHandler; readonly warn: () => void } {
  const shell = createShell(service, options, platform);
  const find = createRouteLookup(shell.mountRoute);
  let loaded: Promise<Probes> | undefined;
  // One, however many ask for it before it is there: it counts what the database is asked. What failed to load is asked for again.
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
    // A server makes the URL of whatever a client calls its host.
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

/** They are no routes of the table: nobody is asked about them. null: it is none. */
function toProbe({ mountRoute }: Shell, pathname: string): ProbeName | null {
  const path = pathname.replace(/\/$/u, "");
  return PROBES.find((name) => path === `${mountRoute}/${name}`) ?? null;
}

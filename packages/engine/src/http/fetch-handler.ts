/** Answers web requests by the route table. */
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
import { toSafeLogger } from "./mount.ts";

/** Answers requests of the HTTP API. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** All that answering requests needs of an engine. */
export interface FetchEngine {
  readonly fetch: FetchHandler;
}

/**
 * Makes the HTTP API of an engine: every request gets a Response, never a rejection. It says in the log, once, what it
 * leaves open, or closed for want of an authorizer.
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
  return {
    handler: async (request) => {
      const answer = await answerRequest(shell, request, find);
      return request.method === "HEAD" ? new Response(null, answer) : answer;
    },
    warn: () => warnOfUnguarded(shell, toSafeLogger(options.logger)),
  };
}

async function answerRequest(
  shell: Shell,
  request: Request,
  find: (method: string, pathname: string) => RouteLookup,
): Promise<Response> {
  try {
    // A server makes the URL of whatever a client calls its host.
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    const found = url === null ? null : find(request.method, url.pathname);
    if (found === null) return refuseBrokenPath(shell.logger);
    if (found.routeName === null) return refuseUnmatched(found.allow);
    return await answerCall(shell, { ...found, request });
  } catch (caught) {
    return answerError(shell.logger, caught, null);
  }
}

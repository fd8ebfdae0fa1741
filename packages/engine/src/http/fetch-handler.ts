/** The HTTP API of an engine as a fetch handler. Its options are checked at once; the code that answers comes with the first request. */
import { late } from "../core/late.ts";
import type { EngineService } from "../ports/service.ts";
import {
  type AnsweringPlatform,
  createShell,
  type FetchHandlerOptions,
  warnOfUnguarded,
} from "./options.ts";
import { toRequestLogger } from "./mount.ts";
import { refuseUnloaded } from "./refuse-unloaded.ts";

const answering = /* @__PURE__ */ late(() => import("./answer-request.ts"));

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
  let answer: FetchHandler | null = null;
  return {
    handler: async (request) => {
      try {
        if (answer === null) {
          const { createAnswer } = await answering();
          // An earlier request may have waited for the same code.
          answer ??= createAnswer(shell);
        }
      } catch (error) {
        return refuseUnloaded(shell.logger, error);
      }
      const answered = await answer(request);
      return request.method === "HEAD" ? new Response(null, answered) : answered;
    },
    warn: () => warnOfUnguarded(shell, toRequestLogger(options.logger)),
  };
}

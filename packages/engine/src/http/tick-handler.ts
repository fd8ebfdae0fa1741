/**
 * The tick route alone, for functions that only tick, so that they load nothing else. It answers exactly like the tick route of the whole
 * API. Its options are checked at once; the code that answers comes with the first tick.
 */
import { assertKnownOptions } from "../core/known-names.ts";
import { late } from "../core/late.ts";
import type { EpochMs } from "../core/model/records.ts";
import type { Logger } from "../ports/logger.ts";
import type { TickInput } from "../ports/tick.ts";
import type { AnswerTick, Ticker } from "./answer-tick.ts";
import { limitLog } from "./limited-log.ts";
import { DEFAULT_MOUNT_ROUTE, parseMountRoute, TICK_PATH, toRequestLogger } from "./mount.ts";
import { refuseUnloaded } from "./refuse-unloaded.ts";
import { createTickMatch } from "./request-match.ts";
import { createTickGuard, type TickOptions } from "./tick-guard.ts";

const answering = /* @__PURE__ */ late(() => import("./answer-tick.ts"));

/** Secrets of the tick route, its path, and a handler for other requests. */
export interface TickHandlerOptions {
  /** The path that the route begins with. @default "/api/workflows" */
  readonly mountRoute?: string;
  /** @default closed */
  readonly tick?: TickOptions;
  /** @default the console */
  readonly logger?: Logger;
  /** The process's clock in epoch milliseconds, for the validity of signatures. @default Date.now */
  readonly now?: () => EpochMs;
  /** Answers requests for other routes. @default 404 */
  readonly otherwise?: (request: Request) => Promise<Response>;
  /**
   * Answers an authorized tick, for platforms where an answer begins before its work is done.
   *
   * @param tick runs the tick as requested, and resolves to the answer that would otherwise be given; it never rejects
   * @default answers once the tick is done
   */
  readonly respond?: (
    request: Request,
    tick: (told?: TickInput) => Promise<Response>,
  ) => Response | Promise<Response>;
}

const TICK_HANDLER_OPTIONS: Readonly<Record<keyof TickHandlerOptions, 1>> = {
  mountRoute: 1,
  tick: 1,
  logger: 1,
  now: 1,
  otherwise: 1,
  respond: 1,
};

/**
 * Creates the tick route alone, for an engine that serves nothing else.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when an option cannot work; UNKNOWN_OPTION
 */
export function createTickHandler(
  service: Ticker,
  options: TickHandlerOptions = {},
): (request: Request) => Promise<Response> {
  assertKnownOptions("the handler", options, TICK_HANDLER_OPTIONS);
  const path = `${parseMountRoute(options.mountRoute ?? DEFAULT_MOUNT_ROUTE)}${TICK_PATH}`;
  const { tick = {}, now = Date.now, otherwise, respond = (_request, run) => run() } = options;
  const guard = createTickGuard(tick, path, now);
  const logger = limitLog(toRequestLogger(options.logger), now);
  const isTick = createTickMatch(options.mountRoute);
  const parts = { service, guard, logger, isTick, respond, deadline: tick.deadline };
  let answer: AnswerTick | null = null;
  return async (request) => {
    if (otherwise !== undefined && !isTick(request)) return otherwise(request);
    try {
      answer ??= (await answering()).createTickAnswer(parts);
    } catch (error) {
      return refuseUnloaded(logger, error);
    }
    return answer(request);
  };
}

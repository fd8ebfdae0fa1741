/** The background function. It does all the work; an invocation that the schedule began stays for what is due within the minute. */
import { createConsoleLogger, type Logger, type TickOutput } from "@escapement/engine";
import {
  DEFAULT_MOUNT_ROUTE,
  drive,
  type DriveEngine,
  type DriveOptions,
  nextMinuteAt,
  noteTicks,
  platformOf,
  TICK_PATH,
} from "@escapement/engine/adapter";
import { createTickHandler } from "@escapement/engine/http";
import type { HandlerOptions, OnNetlify } from "./handler.ts";
import { HOLDER_HEADER } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** The time limit of the background function. */
export interface BackgroundHandlerOptions extends HandlerOptions {
  /** When an invocation is killed, in milliseconds. @default 900000 @minimum 1 */
  readonly timeLimitMs?: number;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** @source https://docs.netlify.com/build/functions/configuration/, read 2026-11 */
const BACKGROUND_LIMIT_MS = 900_000;
/** The schedule may run some seconds late, so what becomes due until then is still waited for. */
const LATE_SCHEDULE_MS = 10_000;
/** The time between two looks for due work that a tick could not get. */
const RECHECK_MS = 250;
/** After this many in a row, the work is left to the schedule. */
const MAX_RECHECKS = 20;
const TICK_URL = `https://localhost${DEFAULT_MOUNT_ROUTE}${TICK_PATH}`;

/**
 * Accepts calls that are signed for it, like the engine's tick route, and works until nothing is due. Before its time ends, it
 * calls itself if it made progress. It always answers, because Netlify would repeat the call after an error, and the schedule does
 * that already.
 *
 * Only an invocation that the schedule began waits, and only to the end of its minute, so that there are one or two at a time: the next
 * minute's schedule begins the next. Each create and event begins an invocation, too. Such an invocation waits within its minute only
 * for what it parked itself, a short sleep or a retry, unless something is due earlier, for which another one waits. After it has
 * waited, it stays for whatever comes next within its minute.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function backgroundHandler(
  engine: DriveEngine & OnNetlify,
  options?: BackgroundHandlerOptions,
): NetlifyFunction;
export function backgroundHandler(
  engine: DriveEngine,
  options: BackgroundHandlerOptions & OnNetlify,
): NetlifyFunction;
export function backgroundHandler(
  engine: DriveEngine & Partial<OnNetlify>,
  options: BackgroundHandlerOptions = {},
): NetlifyFunction {
  const { platform = platformOf(engine), timeLimitMs = BACKGROUND_LIMIT_MS } = options;
  const { now, routes } = platform;
  // Nobody reads the answers, so refusals must be logged.
  const { logger = createConsoleLogger() } = options;
  const noted = noteTicks(engine, platform.note);
  const work = async (isHolder: boolean): Promise<TickOutput> => {
    platform.assertMayTick();
    const deadline = now() + timeLimitMs;
    const endOfMinute = nextMinuteAt(now()) + LATE_SCHEDULE_MS;
    const waitEndsAt = platform.looksAhead ? Math.min(endOfMinute, deadline) : 0;
    const own = { ...platform, deadline: () => deadline };
    // Only this invocation may know of what a request's run parked: the schedule has asked already.
    const ofRequest: DriveOptions = { wakesFor: "own", lingerEndsAt: waitEndsAt };
    const bounds: DriveOptions = { ...EVERYTHING, ...(isHolder ? {} : ofRequest), logger };
    for (let recheckCount = 0; ;) {
      const output = await platform.whileTicking(() => drive(noted, own, bounds));
      const { moreDue, nextWakeInMs: dueInMs, processed } = output;
      recheckCount = dueInMs === 0 ? recheckCount + 1 : 0;
      const isHandedOver = moreDue && processed > 0;
      const isNear = !isHandedOver && dueInMs !== null && now() + dueInMs < waitEndsAt;
      if (!isHolder || !isNear || recheckCount > MAX_RECHECKS) return output;
      await new Promise((resolve) => void setTimeout(resolve, Math.max(dueInMs, RECHECK_MS)));
    }
  };
  const answer = createTickHandler({ tick: () => work(false) }, { logger, tick: routes.work });
  const answerHolder = createTickHandler({ tick: () => work(true) }, { logger, tick: routes.hold });
  return async (request, context) => {
    platform.begin(context, timeLimitMs);
    const take = request.headers.has(HOLDER_HEADER) ? answerHolder : answer;
    const response = await take(new Request(TICK_URL, request));
    await platform.settled();
    return response;
  };
}

/** One tick takes everything. Waiting for what others parked, or for their leases, would be billed. */
const EVERYTHING: DriveOptions = { maxInstances: Infinity, lingerMs: 0, wakesFor: "due" };

/** The background function: does all the work; what the schedule began stays for what comes due inside the minute. */
import { createConsoleLogger, type Logger, type TickOutput } from "@escapement/engine";
import {
  DEFAULT_MOUNT_ROUTE,
  drive,
  type DriveEngine,
  type DriveOptions,
  nextMinuteAt,
  noteTicks,
  TICK_PATH,
} from "@escapement/engine/adapter";
import { createTickHandler } from "@escapement/engine/http";
import { HOLDER_HEADER, type NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** The platform, and the time limit of the background function. */
export interface BackgroundHandlerOptions {
  /** The platform of the engine. */
  readonly platform: NetlifyPlatform;
  /** When an invocation is killed, in milliseconds. @default 900000 @minimum 1 */
  readonly timeLimitMs?: number;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** @source https://docs.netlify.com/build/functions/configuration/, read 2026-11 */
const BACKGROUND_LIMIT_MS = 900_000;
/** The schedule may run some seconds late; what comes due meanwhile is still waited for. */
const LATE_SCHEDULE_MS = 10_000;
/** Between two looks at what is due and a tick has just found not to be had. */
const RECHECK_MS = 250;
/** After so many in a row it is left to the schedule. */
const MAX_RECHECKS = 20;
const TICK_URL = `https://localhost${DEFAULT_MOUNT_ROUTE}${TICK_PATH}`;

/**
 * Lets in what is signed for it, as the engine's tick route does, and works until nothing is due; before its time ends it
 * calls itself, if it got anything done. Whatever happens it answers: Netlify would run it again after a thrown error,
 * and the schedule does that already.
 *
 * Only an invocation that the schedule began waits, to the end of the minute in which it began and no further, so that
 * there are one or two at a time: the next minute's schedule begins the next. There is one that a request began for each
 * create and event: such a one waits in its minute for what it parked itself, a short sleep or a retry, unless something comes
 * due before, for which another waits; whoever has waited stays for whatever comes next in its minute.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function backgroundHandler(
  engine: DriveEngine,
  { platform, timeLimitMs = BACKGROUND_LIMIT_MS, ...options }: BackgroundHandlerOptions,
): NetlifyFunction {
  const { now, routes } = platform;
  // Nobody reads the answers: what is refused must be in the log.
  const { logger = createConsoleLogger() } = options;
  const noted = noteTicks(engine, platform.note);
  const work = async (isHolder: boolean): Promise<TickOutput> => {
    platform.assertMayTick();
    const deadline = now() + timeLimitMs;
    const endOfMinute = nextMinuteAt(now()) + LATE_SCHEDULE_MS;
    const waitEndsAt = platform.looksAhead ? Math.min(endOfMinute, deadline) : 0;
    const own = { ...platform, deadline: () => deadline };
    // What a request's run parked itself nobody else may know of: the schedule has asked already.
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

/** One tick takes all. Nobody is paid to wait for what it did not park, or for others' leases. */
const EVERYTHING: DriveOptions = { maxInstances: Infinity, lingerMs: 0, wakesFor: "due" };

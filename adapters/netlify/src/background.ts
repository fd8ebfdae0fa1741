/** The background function: does all the work, and stays for what comes due inside the minute. */
import { createConsoleLogger, type Logger, type TickOutput } from "@escapement/engine";
import { drive, type DriveEngine } from "@escapement/engine/drive";
import { createTickHandler, DEFAULT_MOUNT_ROUTE, HTTP_ROUTES } from "@escapement/engine/http";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

export interface BackgroundOptions {
  /** The one that the engine was made with. */
  readonly platform: NetlifyPlatform;
  /** When an invocation is killed, in milliseconds. @default 900000 @minimum 1 */
  readonly timeLimitMs?: number;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** @source https://docs.netlify.com/build/functions/configuration/, read 2026-11 */
const BACKGROUND_LIMIT_MS = 900_000;
const A_MINUTE_MS = 60_000;
/** The schedule may run some seconds late; what comes due meanwhile is still waited for. */
const LATE_SCHEDULE_MS = 10_000;
/** To wait at least for an instant that a tick has just found not to be due: the database's clock is behind. */
const RECHECK_MS = 250;
/** Where it is behind by more than this, what comes due is left to the schedule, which goes by the database's clock. */
const CLOCKS_DIFFER_MS = 5000;
const TICK_URL = `https://localhost${DEFAULT_MOUNT_ROUTE}${HTTP_ROUTES.tick.path}`;

/**
 * Lets in what is signed for it, as the engine's tick route does, and works until nothing is due; before its time ends it
 * calls itself, if it got anything done. Whatever happens it answers: Netlify would run it again after a thrown error,
 * and the schedule does that already.
 *
 * Every invocation waits to the end of the minute in which it began and no further, so that there are at most a few at a
 * time: the next minute's schedule begins the next.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID
 */
export function background(engine: DriveEngine, options: BackgroundOptions): NetlifyFunction {
  const { platform, timeLimitMs = BACKGROUND_LIMIT_MS } = options;
  const { signingKeys, backgroundPath: audience, now } = platform;
  // Nobody reads the answers: what is refused must be in the log.
  const { logger = createConsoleLogger() } = options;
  const tick: DriveEngine["tick"] = async () => {
    platform.assertMayWork();
    const deadline = now() + timeLimitMs;
    const waitsUntil = platform.looksAhead ? Math.min(endOfMinute(now()), deadline) : 0;
    for (;;) {
      const { output, dueAt } = await tickOnce(engine, platform, { deadline, logger });
      const isNear = dueAt !== null && dueAt < waitsUntil && dueAt > now() - CLOCKS_DIFFER_MS;
      if (!isNear) return output;
      await sleep(Math.max(dueAt - now(), RECHECK_MS));
    }
  };
  const answer = createTickHandler({ tick }, { logger, tick: { signingKeys, audience } });
  return async (request, context) => {
    platform.begin(context, timeLimitMs);
    const response = await answer(new Request(TICK_URL, request));
    await platform.settled();
    return response;
  };
}

interface Ticked {
  readonly output: TickOutput;
  /** Database instant of the next due time, when everything that is due has been done. */
  readonly dueAt: number | null;
}

/** One tick takes all there is, and does not wait. */
async function tickOnce(
  engine: DriveEngine,
  platform: NetlifyPlatform,
  { deadline, logger }: { readonly deadline: number; readonly logger: Logger },
): Promise<Ticked> {
  let dueAt: number | null = null;
  const wakeAt = async (at: number): Promise<void> => {
    dueAt = at;
  };
  const bound = { ...platform, deadline: () => deadline, wakeAt };
  // Nobody is paid to wait for the end of somebody else's lease.
  const all = { maxInstances: Infinity, lingerMs: 0, wakesForLeases: false, logger };
  const output = await platform.whileTicking(() => drive(engine, bound, all));
  return { output, dueAt };
}

const endOfMinute = (now: number): number =>
  (Math.floor(now / A_MINUTE_MS) + 1) * A_MINUTE_MS + LATE_SCHEDULE_MS;

const sleep = (delayMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, delayMs));

/** The functions that do no work: the one for HTTP, and the scheduled one, which only asks. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { type FetchEngine, platformOf, toLogFields } from "@escapement/engine/adapter";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** The part of an engine that the scheduled function needs. */
type ScheduleEngine = Pick<Engine, "nextWake">;

/** An engine whose platform is Netlify, or options that have it. */
export interface OnNetlify {
  readonly platform: NetlifyPlatform;
}

/** The platform of the function. */
export interface HandlerOptions {
  /** @default the engine's own */
  readonly platform?: NetlifyPlatform;
}

/** A logger for failures. */
export interface ScheduleHandlerOptions extends HandlerOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/**
 * The lower of two documented limits of synchronous functions: 60 s, https://docs.netlify.com/build/functions/configuration/, and 30 s,
 * `SYNCHRONOUS_FUNCTION_TIMEOUT` of `@netlify/functions` 6.0.0, which the emulator applies; both read 2026-11. Scheduled functions have
 * 30 s according to that page.
 */
const LIMIT_MS = 30_000;
const A_MINUTE_MS = 60_000;

/**
 * Creates the function for HTTP. The response is sent at once; the call of the background function continues in
 * `context.waitUntil`.
 */
export function handler(engine: FetchEngine & OnNetlify, options?: HandlerOptions): NetlifyFunction;
export function handler(engine: FetchEngine, options: OnNetlify): NetlifyFunction;
export function handler(
  engine: FetchEngine & Partial<OnNetlify>,
  { platform = platformOf(engine) }: HandlerOptions = {},
): NetlifyFunction {
  return async (request, context) => {
    platform.begin(context, LIMIT_MS);
    try {
      return await engine.fetch(request);
    } finally {
      context.waitUntil(platform.settled());
    }
  };
}

/**
 * Creates the scheduled function. It takes one trip to the database, or none while the note says that nothing is due, and
 * calls the background function only if something is due now or before the next minute's run. Failures are logged and
 * answered with their status, and the next minute asks again. Deploys that may not work do not ask.
 */
export function scheduleHandler(
  engine: ScheduleEngine & OnNetlify,
  options?: ScheduleHandlerOptions,
): NetlifyFunction;
export function scheduleHandler(
  engine: ScheduleEngine,
  options: ScheduleHandlerOptions & OnNetlify,
): NetlifyFunction;
export function scheduleHandler(
  engine: ScheduleEngine & Partial<OnNetlify>,
  { platform = platformOf(engine), logger = createConsoleLogger() }: ScheduleHandlerOptions = {},
): NetlifyFunction {
  const { looksAhead, note } = platform;
  const isDueSoon = async (): Promise<boolean> => {
    if (await note.isQuiet()) return false;
    const next = await note.around(
      () => engine.nextWake(),
      (wake) => wake?.inMs ?? null,
    );
    return next !== null && next.inMs <= (looksAhead ? A_MINUTE_MS : 0);
  };
  return async (_request, context) => {
    platform.begin(context, LIMIT_MS);
    try {
      platform.assertMayTick();
      const isDue = await isDueSoon();
      if (isDue) await platform.beginHolder();
      return Response.json({ isDue });
    } catch (error) {
      const fields = toLogFields(error);
      logger.log("error", "schedule.failed", fields);
      return Response.json({ code: fields["code"] ?? "INVARIANT_BROKEN" }, { status: 503 });
    }
  };
}

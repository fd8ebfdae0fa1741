/** The functions that work on nothing: for HTTP, and the scheduled one, which only asks. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { type FetchEngine, toLogFields } from "@escapement/engine/adapter";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** All that the scheduled function needs of an engine. */
type ScheduleEngine = Pick<Engine, "nextWake">;

/** The platform that the function belongs to. */
export interface HandlerOptions {
  /** The one that the engine was made with. */
  readonly platform: NetlifyPlatform;
}

/** The platform, and who is told of what fails. */
export interface ScheduleHandlerOptions extends HandlerOptions {
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/**
 * The lower of what is said of synchronous functions: 60 s, https://docs.netlify.com/build/functions/configuration/, and
 * 30 s, `SYNCHRONOUS_FUNCTION_TIMEOUT` of `@netlify/functions` 6.0.0, which the emulator keeps; both read 2026-11.
 * Scheduled functions have 30 s by that page.
 */
const LIMIT_MS = 30_000;
const A_MINUTE_MS = 60_000;

/** The answer is given at once; the call of the background function goes on in `context.waitUntil`. */
export function handler(engine: FetchEngine, { platform }: HandlerOptions): NetlifyFunction {
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
 * One trip to the database each time, or none while the note says that nothing is due; the
 * background function is called only if something is due, or will be before the next minute's run.
 * What fails is logged and answered with its status; the next minute asks again. Deploys that do not work do not ask.
 */
export function scheduleHandler(
  engine: ScheduleEngine,
  { platform, logger = createConsoleLogger() }: ScheduleHandlerOptions,
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

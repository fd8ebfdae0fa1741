/** The scheduled function: asks whether anything is due, and works on nothing. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { WorkflowError } from "@escapement/engine/errors";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** All that the scheduled function needs of an engine. */
export type ScheduleEngine = Pick<Engine, "nextWake">;

export interface ScheduleHandlerOptions {
  readonly platform: NetlifyPlatform;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** @source https://docs.netlify.com/build/functions/configuration/, read 2026-11 */
const SCHEDULED_LIMIT_MS = 30_000;
const A_MINUTE_MS = 60_000;

/**
 * One trip to the database each time, or none while the platform's note says that nothing is due; the background function is called only if something is due, or will be before the
 * next minute's run. What fails is logged and answered with its status; the next minute asks again.
 */
export function scheduleHandler(
  engine: ScheduleEngine,
  { platform, logger = createConsoleLogger() }: ScheduleHandlerOptions,
): NetlifyFunction {
  const { note } = platform;
  const aheadMs = platform.looksAhead ? A_MINUTE_MS : 0;
  return async (_request, context) => {
    platform.begin(context, SCHEDULED_LIMIT_MS);
    try {
      if (await note.isQuiet()) return Response.json({ isDue: false });
      const next = await note.around(
        () => engine.nextWake(),
        (wake) => wake?.inMs ?? null,
      );
      const isDue = next !== null && next.inMs <= aheadMs;
      if (isDue) await platform.beginHolder();
      return Response.json({ isDue });
    } catch (error) {
      const code = WorkflowError.is(error) ? error.code : "INVARIANT_BROKEN";
      logger.log("error", "schedule.failed", { code, error: String(error) });
      return Response.json({ code }, { status: 503 });
    }
  };
}

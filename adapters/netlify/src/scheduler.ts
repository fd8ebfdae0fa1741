/** The scheduled function: asks whether anything is due, and works on nothing. */
import {
  createConsoleLogger,
  type Engine,
  type EngineOptions,
  type Logger,
} from "@escapement/engine";
import { WorkflowError } from "@escapement/engine/errors";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** All that the scheduled function needs of an engine: `{ listWorkflows: () => [{ name: "order" }] }` will do. */
export type SchedulerEngine = Pick<Engine, "listWorkflows">;

export interface SchedulerOptions {
  readonly platform: NetlifyPlatform;
  /** The engine's store. */
  readonly store: Pick<EngineOptions<Record<string, never>>["store"], "claim">;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** @source https://docs.netlify.com/build/functions/configuration/, read 2026-11 */
const SCHEDULED_LIMIT_MS = 30_000;
const A_MINUTE_MS = 60_000;

/**
 * One trip to the database each time; the background function is called only if something is due, or will be before the
 * next minute's run. What fails is logged and answered with its status; the next minute asks again.
 */
export function scheduler(engine: SchedulerEngine, options: SchedulerOptions): NetlifyFunction {
  const { platform, store, logger = createConsoleLogger() } = options;
  const workflowNames = engine.listWorkflows().map(({ name }) => name);
  const aheadMs = platform.looksAhead ? A_MINUTE_MS : 0;
  return async (_request, context) => {
    platform.begin(context, SCHEDULED_LIMIT_MS);
    try {
      const token = crypto.randomUUID();
      const { now, nextWakeAt } = await store.claim({
        token,
        leaseMs: 1000,
        limit: 0,
        workflowNames,
      });
      const isDue = nextWakeAt !== null && nextWakeAt - now <= aheadMs;
      if (isDue) await platform.beginHolder();
      return Response.json({ isDue });
    } catch (error) {
      const code = WorkflowError.is(error) ? error.code : "INVARIANT_BROKEN";
      logger.log("error", "schedule.failed", { code, error: String(error) });
      return Response.json({ code }, { status: 503 });
    }
  };
}

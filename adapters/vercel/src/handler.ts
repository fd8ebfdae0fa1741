/** The handlers of the functions: requests and ticks over HTTP, and wakes from the queue. */
import { createConsoleLogger, type Engine } from "@escapement/engine";
import { IDLE_TICK, type DriveEngine, type DriveOptions } from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";
import {
  createTickHandler,
  createTickMatch,
  DEFAULT_MOUNT_ROUTE,
  type TickOptions,
} from "@escapement/engine/http";
import type { VercelScheduler } from "./scheduler.ts";

/** Bounds of each tick, and the scheduler that the engine was made with. */
export interface WakeHandlerOptions extends Omit<DriveOptions, "hopCount"> {
  readonly scheduler: VercelScheduler;
}

export interface HandlerOptions extends WakeHandlerOptions {
  /** Who may tick over HTTP: the cron by `CRON_SECRET`, a self-call by its keys. What is undefined is not set. @default closed */
  readonly tick?: { readonly [K in keyof TickOptions]: TickOptions[K] | undefined };
  /** The engine's `http.mountRoute`. @default "/api/workflows" */
  readonly mountRoute?: string;
}

/** For a function's `export const GET = …` and `POST`, or the `fetch` of its default export. */
export type FunctionHandler = (request: Request) => Promise<Response>;

/**
 * The engine's HTTP API, for Node and Edge functions. What a request makes due begins once it is answered, in the same
 * invocation. A tick is answered when its work is done, or 202 at once to one that prefers `respond-async`.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret cannot work
 */
export function handler(
  engine: DriveEngine & Pick<Engine, "fetch">,
  options: HandlerOptions,
): FunctionHandler {
  const { scheduler, tick = {}, mountRoute = DEFAULT_MOUNT_ROUTE, ...bounds } = options;
  const { logger = createConsoleLogger() } = bounds;
  const { guardedEnvironment: environment, now } = scheduler;
  scheduler.attach(engine, { ...bounds, logger });
  const set = Object.fromEntries(Object.entries(tick).filter(([, value]) => value !== undefined));
  const toHandler = (run: DriveEngine["tick"]): FunctionHandler => {
    const guarded: DriveEngine["tick"] = async (input) => {
      if (environment === null) return run(input);
      throw new WorkflowError("TICK_DISABLED", `"${environment}" does not tick`, { environment });
    };
    return createTickHandler({ tick: guarded }, { mountRoute, tick: set, logger, now });
  };
  const tickNow = toHandler((input) => scheduler.run(input));
  const tickAfter = toHandler(async () => {
    scheduler.runAfter();
    return { ...IDLE_TICK, moreDue: true };
  });
  const isTick = createTickMatch(mountRoute);
  const take: FunctionHandler = async (request) => {
    if (!isTick(request)) return engine.fetch(request);
    if (request.headers.get("prefer") !== "respond-async") return tickNow(request);
    const answer = await tickAfter(request);
    return answer.ok ? new Response(null, { status: 202 }) : answer;
  };
  return async (request) => {
    const answer = await take(request);
    await scheduler.settled();
    return answer;
  };
}

/** What Vercel delivers. @source the package @vercel/queue 0.6.0 and `vercel dev` 60.1.3, read 2026-11-21 */
const DELIVERY = "com.vercel.queue.v2beta";

/**
 * For the function that is subscribed to the queue's topic, and for no other: that one has no public URL, and nothing
 * else tells who calls. A message is kept from others while its tick runs, and acknowledged when that is done; one whose
 * tick fails, or cannot pass on what it leaves, is delivered again.
 */
export function wakeHandler(engine: DriveEngine, options: WakeHandlerOptions): FunctionHandler {
  const { scheduler, ...bounds } = options;
  const { logger = createConsoleLogger() } = bounds;
  scheduler.attach(engine, { ...bounds, logger });
  return async (request) => {
    const { headers } = request;
    const leaseEndsAt = Date.parse(headers.get("ce-vqsvisibilitydeadline") ?? "");
    const isDone = await scheduler.takeWake({
      delivery: headers,
      text: headers.get("ce-type") === DELIVERY ? await request.text() : null,
      leaseMs: leaseEndsAt - scheduler.now(),
      ticks: scheduler.guardedEnvironment === null,
    });
    await scheduler.settled();
    return new Response(null, { status: isDone ? 204 : 500 });
  };
}

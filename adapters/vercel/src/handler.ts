/** The handlers of the functions: requests and ticks over HTTP, and wakes from the queue. */
import {
  type DriveEngine,
  type FetchEngine,
  platformOf,
  type TickOptions,
} from "@escapement/engine/adapter";
import { createTickHandler } from "@escapement/engine/http";
import type { VercelPlatform } from "./platform.ts";

/** An engine whose platform is Vercel, or options that have it. */
interface OnVercel {
  readonly platform: VercelPlatform;
}

/** The platform that takes the wakes. */
interface WakeHandlerOptions {
  /** @default the engine's own */
  readonly platform?: VercelPlatform;
}

/** Who may tick, and the mount path. */
export interface HandlerOptions extends WakeHandlerOptions {
  /** Who may tick over HTTP: the cron with `CRON_SECRET`, a self-call with its keys. @default closed */
  readonly tick?: TickOptions;
  /** The engine's `http.mountRoute`. @default "/api/workflows" */
  readonly mountRoute?: string;
}

/** For a function's `export const GET = …` and `POST`, or the `fetch` of its default export. */
type FunctionHandler = (request: Request) => Promise<Response>;

/**
 * Creates the function for the engine's HTTP API, on Node and Edge. What a request makes due begins after the response, in
 * the same invocation. A tick is answered when its work is done, or with 202 at once if the request prefers `respond-async`.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret cannot work
 */
export function handler(engine: FetchEngine & OnVercel, options?: HandlerOptions): FunctionHandler;
export function handler(engine: FetchEngine, options: HandlerOptions & OnVercel): FunctionHandler;
export function handler(
  engine: FetchEngine & Partial<OnVercel>,
  options: HandlerOptions = {},
): FunctionHandler {
  const { platform = platformOf(engine), ...others } = options;
  const { logger, now, run, settled } = platform;
  const take = createTickHandler(
    { tick: run },
    {
      ...others,
      logger,
      now,
      otherwise: (request) => engine.fetch(request),
      respond: (request, tick) => {
        platform.assertMayTick();
        if (request.headers.get("prefer") !== "respond-async") return tick();
        platform.runAfter();
        return new Response(null, { status: 202 });
      },
    },
  );
  return async (request) => {
    const answer = await take(request);
    await settled();
    return answer;
  };
}

/** What Vercel delivers. @source the package @vercel/queue 0.6.0 and `vercel dev` 60.1.3, read 2026-11-21 */
const DELIVERY = "com.vercel.queue.v2beta";

/**
 * Creates the function that is subscribed to the queue's topic. Do not use it for any other function: this one has no public
 * URL, and nothing else checks who calls. It holds a message while its tick runs, and acknowledges it after that. If the tick
 * fails, or cannot pass on what it leaves, the message is delivered again.
 *
 * @param engine the engine of the platform, which ticks it
 */
export function wakeHandler(
  engine: DriveEngine & OnVercel,
  options?: WakeHandlerOptions,
): FunctionHandler;
export function wakeHandler(engine: DriveEngine, options: OnVercel): FunctionHandler;
export function wakeHandler(
  engine: DriveEngine & Partial<OnVercel>,
  options: WakeHandlerOptions = {},
): FunctionHandler {
  const { platform = platformOf(engine) } = options;
  return async (request) => {
    const { headers } = request;
    const leaseEndsAt = Date.parse(headers.get("ce-vqsvisibilitydeadline") ?? "");
    const isDone = await platform.takeWake({
      delivery: headers,
      text: headers.get("ce-type") === DELIVERY ? await request.text() : null,
      leaseMs: leaseEndsAt - platform.now(),
      ticks: platform.refusedPlace === null,
    });
    await platform.settled();
    return new Response(null, { status: isDone ? 204 : 500 });
  };
}

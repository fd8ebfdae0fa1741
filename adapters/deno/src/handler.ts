/** The engine's HTTP API for `Deno.serve`, with a tick route that answers before it works. */
import { createTickHandler } from "@escapement/engine/http";
import { type FetchEngine, platformOf, type TickHandlerOptions } from "@escapement/engine/adapter";
import { answerHeld } from "./held-answer.ts";
import { type DenoPlatform, REQUEST_HEADER } from "./platform.ts";

/** An engine whose platform is Deno, or options that have it. */
interface OnDeno {
  readonly platform: DenoPlatform;
}

/** Options of the tick route: secrets, and the mount path if the engine has its own. Without a secret, the route is closed. */
export interface HandlerOptions extends Omit<TickHandlerOptions, "otherwise" | "respond"> {
  /** @default the engine's own */
  readonly platform?: DenoPlatform;
}

type ServeHandler = (request: Request) => Promise<Response>;

/**
 * Creates a handler for `Deno.serve(handler(engine, { tick: { signingKeys } }))`. A tick is answered with 202 at
 * once. Its body ends with the work, and is then the answer of the engine's tick route. The engine's own tick route is not
 * used, so `createEngine` needs no tick secrets.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret cannot work
 */
export function handler(engine: FetchEngine & OnDeno, options?: HandlerOptions): ServeHandler;
export function handler(engine: FetchEngine, options: HandlerOptions & OnDeno): ServeHandler;
export function handler(
  engine: FetchEngine & Partial<OnDeno>,
  { platform = platformOf(engine), ...options }: HandlerOptions = {},
): ServeHandler {
  const respond: TickHandlerOptions["respond"] = ({ headers }, tick) => {
    platform.assertMayTick();
    return answerHeld(tick(headers.has(REQUEST_HEADER) ? { wakesFor: "own" } : {}));
  };
  const otherwise: typeof engine.fetch = (request) => engine.fetch(request);
  return createTickHandler({ tick: platform.hold }, { ...options, otherwise, respond });
}

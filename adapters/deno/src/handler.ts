/** The engine's HTTP API for `Deno.serve`, with a tick route that answers before it works. */
import { createTickHandler } from "@escapement/engine/http";
import type { FetchEngine, TickHandlerOptions } from "@escapement/engine/adapter";
import { answerHeld } from "./held-answer.ts";
import { type DenoPlatform, REQUEST_HEADER } from "./platform.ts";

/** Options of the tick route: secrets, and the mount path if the engine has its own. Without a secret, the route is closed. */
export interface HandlerOptions extends Omit<TickHandlerOptions, "otherwise" | "respond"> {
  readonly platform: DenoPlatform;
}

/**
 * Creates a handler for `Deno.serve(handler(engine, { platform, tick: { signingKeys } }))`. A tick is answered with 202 at
 * once. Its body ends with the work, and is then the answer of the engine's tick route. The engine's own tick route is not
 * used, so `createEngine` needs no tick secrets.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID when a secret cannot work
 */
export function handler(
  engine: FetchEngine,
  { platform, ...options }: HandlerOptions,
): (request: Request) => Promise<Response> {
  const respond: TickHandlerOptions["respond"] = ({ headers }, tick) => {
    platform.assertMayTick();
    return answerHeld(tick(headers.has(REQUEST_HEADER) ? { wakesFor: "own" } : {}));
  };
  const otherwise: typeof engine.fetch = (request) => engine.fetch(request);
  return createTickHandler({ tick: platform.hold }, { ...options, otherwise, respond });
}

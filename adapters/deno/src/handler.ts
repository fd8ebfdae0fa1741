/** The engine's HTTP API for `Deno.serve`, with a tick route that answers first and works then. */
import { createTickHandler } from "@escapement/engine/http";
import type { FetchEngine, TickHandlerOptions } from "@escapement/engine/adapter";
import { answerHeld } from "./held-answer.ts";
import { type DenoPlatform, REQUEST_HEADER } from "./platform.ts";

/** The tick route: secrets, and the mount path if the engine has one of its own. Closed without a secret. */
export interface HandlerOptions extends Omit<TickHandlerOptions, "otherwise" | "respond"> {
  readonly platform: DenoPlatform;
}

/**
 * For `Deno.serve(handler(engine, { platform, tick: { signingKeys } }))`. A tick that is let in is answered with 202 at
 * once; the body ends with the work, and is then what the tick route of the engine answers. The engine's own tick
 * route is not reached, so `createEngine` needs no tick secrets.
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

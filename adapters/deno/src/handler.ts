/** The engine's HTTP API for `Deno.serve`, with a tick route that answers first and works then. */
import { type Engine, WorkflowError } from "@escapement/engine";
import type { DriveOptions } from "@escapement/engine/drive";
import {
  createTickHandler,
  createTickMatch,
  type TickHandlerOptions,
} from "@escapement/engine/http";
import { answerHeld } from "./held-answer.ts";
import { type DenoPlatform, REQUEST_HEADER } from "./platform.ts";

/** All that the HTTP side needs of an engine. */
export type FetchEngine = Pick<Engine, "fetch">;

/** The tick route: secrets, and the mount path if the engine has one of its own. Closed without a secret. */
export interface HandlerOptions extends TickHandlerOptions {
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
  const isTick = createTickMatch(options.mountRoute);
  const takeTick: TakeTick = (letIn, own) => {
    const tick: DenoPlatform["hold"] = async (input) => {
      assertMayTick(platform);
      letIn();
      return platform.hold({ ...input, ...own });
    };
    return createTickHandler({ tick }, options);
  };
  // Bad secrets are refused now, not with the first tick.
  takeTick(() => undefined);
  return (request) => (isTick(request) ? answerFirst(request, takeTick) : engine.fetch(request));
}

type TakeTick = (letIn: () => void, own?: DriveOptions) => (request: Request) => Promise<Response>;

async function answerFirst(request: Request, takeTick: TakeTick): Promise<Response> {
  let letIn = (): void => {};
  const isLetIn = new Promise<null>((resolve) => {
    letIn = () => resolve(null);
  });
  const own: DriveOptions = request.headers.has(REQUEST_HEADER) ? { wakesFor: "own" } : {};
  const answer = takeTick(() => letIn(), own)(request);
  return (await Promise.race([isLetIn, answer])) ?? answerHeld(answer);
}

function assertMayTick({ guardedTimeline: timeline }: DenoPlatform): void {
  if (timeline === null) return;
  const message = `The timeline "${timeline}" does not tick; see the adapter's option timelines.`;
  throw new WorkflowError("TICK_DISABLED", message, { timeline });
}

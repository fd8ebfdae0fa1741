/** The function for HTTP: requests to the engine's API; what they make due is handed to the background function. */
import type { Engine } from "@escapement/engine";
import type { NetlifyPlatform } from "./platform.ts";
import type { NetlifyFunction } from "./types.ts";

/** All that the function for HTTP needs of an engine. */
export type FetchEngine = Pick<Engine, "fetch">;

export interface HandlerOptions {
  /** The one that the engine was made with. */
  readonly platform: NetlifyPlatform;
}

/**
 * The lower of what is said of synchronous functions: 60 s, https://docs.netlify.com/build/functions/configuration/, and
 * 30 s, `SYNCHRONOUS_FUNCTION_TIMEOUT` of `@netlify/functions` 6.0.0, which the emulator keeps; both read 2026-11.
 */
const REQUEST_LIMIT_MS = 30_000;

/** The answer is given at once; the call of the background function goes on in `context.waitUntil`. */
export function handler(engine: FetchEngine, { platform }: HandlerOptions): NetlifyFunction {
  return async (request, context) => {
    platform.begin(context, REQUEST_LIMIT_MS);
    try {
      return await engine.fetch(request);
    } finally {
      context.waitUntil(platform.settled());
    }
  };
}

/** @module The HTTP API as a fetch handler, the tick route alone, and the tick's signature. */
export { createFetchHandler } from "./fetch-handler.ts";
export { createTickHandler } from "./tick-handler.ts";
export type { Authorize } from "./access.ts";
export { createTickSigner } from "./tick-signature.ts";

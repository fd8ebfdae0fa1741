/** HTTP API: the fetch handler, its route table, and the tick's signature. */
export { createFetchHandler, type FetchEngine } from "./fetch-handler.ts";
export type { FetchHandlerOptions } from "./options.ts";
export { DEFAULT_MOUNT_ROUTE, TICK_PATH } from "./mount.ts";
export { createTickMatch, createWorkflowMatch } from "./request-match.ts";
export { createTickHandler, type TickHandlerOptions } from "./tick-handler.ts";
export type { Authorize } from "./authorize.ts";
export { toErrorResponse } from "./answer.ts";
export { createSelfCall, type SelfCallOptions } from "./self-call.ts";
export type { TickOptions } from "./tick-guard.ts";
export { createTickSigner, signTick } from "./tick-signature.ts";

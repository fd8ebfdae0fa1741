/** HTTP API: the fetch handler, its route table, and the tick's signature. */
export { createFetchHandler, type FetchEngine, type FetchHandler } from "./fetch-handler.ts";
export type { FetchHandlerOptions } from "./options.ts";
export { DEFAULT_MOUNT_ROUTE, TICK_PATH } from "./mount.ts";
export { createTickMatch, createWorkflowMatch } from "./request-match.ts";
export { createTickHandler, type TickHandlerOptions } from "./tick-handler.ts";
export type { Authorize, AuthorizeContext } from "./authorize.ts";
export { type ErrorBody, toErrorResponse } from "./answer.ts";
export type { InputIssue } from "./issues.ts";
export type { HttpMethod, HttpRoute, RoutePolicy } from "./route.ts";
export { HTTP_ROUTES, type RouteName } from "./routes.ts";
export { createSelfCall, type SelfCallOptions } from "./self-call.ts";
export type { TickOptions } from "./tick-guard.ts";
export { createTickSigner, signTick, type TickSignerOptions } from "./tick-signature.ts";

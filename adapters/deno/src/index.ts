/** @module Escapement on Deno: a handler that answers first, a minute cron that looks ahead, and what deploys them. */
export type { DenoRuntime } from "./deno-runtime.ts";
export { deploy, type Deployment } from "./deploy.ts";
export { handler } from "./handler.ts";
export { createDenoPlatform, type DenoPlatform } from "./platform.ts";

/** @module Escapement on Deno: a handler that answers first, a cron each minute that looks ahead, and the files to deploy. */
export type { DenoRuntime } from "./deno-runtime.ts";
export { deploy, type Deployment } from "./deploy.ts";
export { handler } from "./handler.ts";
export { createDenoPlatform, type DenoPlatform } from "./platform.ts";

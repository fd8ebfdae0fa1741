/** @module Escapement on Deno: a handler that answers first, a minute cron that looks ahead, and what deploys them. */
export type { RunningPlatform, StartOptions } from "./cron.ts";
export type { DenoRuntime } from "./deno-runtime.ts";
export { deploy, type Deployment, type DeployOptions } from "./deploy.ts";
export type { DenoKv } from "./kv-note.ts";
export { handler, type HandlerOptions } from "./handler.ts";
export { createDenoPlatform, type DenoPlatform, type DenoPlatformOptions } from "./platform.ts";

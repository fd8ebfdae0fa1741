/** @module Escapement on Bun: Bun.serve, a loop that stays, Bun.cron under it, and what keeps them running. */
export { deploy, type DeployOptions } from "./deploy.ts";
export type { Deployment } from "@escapement/engine/deploy";
export { handler, serve, type ServeOptions } from "./handler.ts";
export { createBunPlatform, type BunPlatform, type BunPlatformOptions } from "./platform.ts";

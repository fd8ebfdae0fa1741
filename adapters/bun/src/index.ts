/** @module Escapement on Bun: Bun.serve, a long-lived loop, Bun.cron as its safety net, and the files that keep them running. */
export { deploy } from "./deploy.ts";
export type { Deployment } from "@escapement/engine/adapter";
export { handler, serve } from "./handler.ts";
export { createBunPlatform } from "./platform.ts";

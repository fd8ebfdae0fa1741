/** @module Escapement on plain Node: an HTTP server, a loop that stays, and what keeps them running. */
export { deploy, type DeployOptions } from "./deploy.ts";
export type { DeployFile, Deployment } from "@escapement/engine/deploy";
export { handler, serve, type FetchEngine, type NodeServer, type ServeOptions } from "./handler.ts";
export { scheduler, type SchedulerOptions } from "./scheduler.ts";
export type { LoopEngine, Scheduler } from "@escapement/engine/drive";

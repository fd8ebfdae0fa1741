/** @module Escapement on plain Node: an HTTP server, a loop that stays, and what keeps them running. */
export { deploy, type DeployOptions } from "./deploy.ts";
export type { DeployFile, Deployment } from "@escapement/engine/deploy";
export { handler, serve, type FetchEngine, type NodeServer, type ServeOptions } from "./handler.ts";
export { createNodePlatform, type NodePlatform, type NodePlatformOptions } from "./platform.ts";
export type { RunningPlatform, StartOptions } from "@escapement/engine/drive";

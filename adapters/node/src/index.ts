/** @module Escapement on plain Node: an HTTP server, a loop that stays, and what keeps them running. */
export { deploy, type DeployOptions } from "./deploy.ts";
export type { DeployFile, Deployment, HttpServer } from "@escapement/engine/deploy";
export { handler, serve, type ServeOptions } from "./handler.ts";
export { createNodePlatform, type NodePlatform, type NodePlatformOptions } from "./platform.ts";
export type { FetchEngine } from "@escapement/engine/http";
export type { RunningPlatform, StartOptions } from "@escapement/engine/drive";

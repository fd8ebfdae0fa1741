/** @module Escapement on plain Node: an HTTP server, a loop that stays, and what keeps them running. */
export { deploy, type DeployOptions } from "./deploy.ts";
export type { Deployment } from "@escapement/engine/deploy";
export { handler, serve, type ServeOptions } from "./handler.ts";
export { createNodePlatform, type NodePlatform, type NodePlatformOptions } from "./platform.ts";

/** @module Escapement on plain Node: an HTTP server, a loop that stays, and the files that keep them running. */
export { deploy } from "./deploy.ts";
export type { Deployment } from "@escapement/engine/adapter";
export { handler, serve } from "./handler.ts";
export { createNodePlatform } from "./platform.ts";

/** @module Escapement on plain Node: an HTTP server, a long-lived loop, and the files that keep them running; with them, all names of `@escapement/engine`. */
export { deploy } from "./deploy.ts";
export type { Deployment } from "@escapement/engine/adapter";
export { handler, serve } from "./handler.ts";
export { createNodePlatform, type NodePlatform } from "./platform.ts";
// So that one package is enough to write a workflow and run it, also where a project sees only what it has installed itself.
export * from "@escapement/engine";
// Through the entry of types, so that the compiler knows that entry wherever this one is imported, and finds names there.
export type { InstanceStatus, InstanceView, TickOutput } from "./types.ts";

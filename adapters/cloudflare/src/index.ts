/**
 * @module Escapement on Cloudflare: a Durable Object that keeps workflows and wakes itself, the Worker in front of it, and their
 * configuration.
 */
export type { Deployment } from "@escapement/engine/adapter";
export { deploy } from "./deploy.ts";
export { handler } from "./handler.ts";
export { defineObject } from "./define-object.ts";
export { host, type ObjectHost, type ObjectNamespace } from "./host.ts";
export type { ObjectContext } from "./workers-runtime.ts";

/** @module Escapement on Cloudflare: a Durable Object that keeps workflows and wakes itself, the Worker before it, and what deploys them. */
export type { DeployFile, Deployment } from "@escapement/engine/deploy";
export { deploy, type DeployOptions } from "./deploy.ts";
export { handler, type HandlerOptions, type WorkerHandler } from "./handler.ts";
export { host, type ObjectEngine, type ObjectHost } from "./host.ts";
export { type ObjectScheduler, scheduler, type SchedulerOptions } from "./scheduler.ts";
export type { AlarmInfo, ObjectContext, ObjectNamespace } from "./workers-runtime.ts";

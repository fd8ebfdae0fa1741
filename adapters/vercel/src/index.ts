/** @module Escapement on Vercel: handlers for functions, work after the answer, wakes by Queues and cron, and vercel.json. */
export { deploy, type Deployment, type DeployOptions } from "./deploy.ts";
export { fromEnv } from "./from-env.ts";
export * from "./handler.ts";
export * from "./platform.ts";
export * from "./vercel-queue.ts";

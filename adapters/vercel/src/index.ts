/** @module Escapement on Vercel: handlers for functions, work after the answer, wakes by Queues and cron, and vercel.json. */
export { deploy, type Deployment } from "./deploy.ts";
export { fromEnv } from "./from-env.ts";
export { handler, wakeHandler } from "./handler.ts";
export { createVercelPlatform, type VercelPlatform } from "./platform.ts";
export { vercelQueue } from "./vercel-queue.ts";

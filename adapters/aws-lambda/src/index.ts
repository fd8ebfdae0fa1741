/** @module Escapement on AWS Lambda: events to requests and ticks, wakes by SQS and EventBridge Scheduler, and the stack as data. */
export * from "./aws-ports.ts";
export { deploy, type DeployOptions } from "./deploy.ts";
export { fromEnv } from "./from-env.ts";
export * from "./handler.ts";
export * from "./platform.ts";
export type { Deployment } from "@escapement/engine/deploy";

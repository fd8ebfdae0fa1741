/** @module Escapement on AWS Lambda: events to requests and ticks, wakes by SQS and EventBridge Scheduler, and the stack as data. */
export { oneTimeSchedules, sqsQueue } from "./aws-ports.ts";
export { deploy } from "./deploy.ts";
export { fromEnv } from "./from-env.ts";
export { handler } from "./handler.ts";
export { createLambdaPlatform, type LambdaPlatform } from "./platform.ts";
export type { Deployment } from "@escapement/engine/adapter";

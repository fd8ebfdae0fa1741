/** @module Escapement on Netlify: a function for HTTP, a scheduled one that only asks, a background one that works. */
export { background, type BackgroundOptions } from "./background.ts";
export type { BlobStore } from "./blob-note.ts";
export { deploy, type DeployOptions, type Deployment, type DeployFile } from "./deploy.ts";
export { type FetchEngine, handler, type HandlerOptions } from "./handler.ts";
export {
  createNetlifyPlatform,
  type NetlifyPlatform,
  type NetlifyPlatformOptions,
} from "./platform.ts";
export { scheduler, type SchedulerEngine, type SchedulerOptions } from "./scheduler.ts";
export type { NetlifyContext, NetlifyFunction } from "./types.ts";

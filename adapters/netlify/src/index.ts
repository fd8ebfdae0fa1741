/** @module Escapement on Netlify: a function for HTTP, a scheduled one that only asks, a background one that works. */
export { backgroundHandler, type BackgroundHandlerOptions } from "./background-handler.ts";
export { deploy, type DeployOptions, type Deployment } from "./deploy.ts";
export * from "./handler.ts";
export {
  createNetlifyPlatform,
  type NetlifyPlatform,
  type NetlifyPlatformOptions,
} from "./platform.ts";
export type { NetlifyFunction } from "./types.ts";

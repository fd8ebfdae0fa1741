/** @module Escapement on Netlify: a function for HTTP, a scheduled one that only asks, a background one that works. */
export { backgroundHandler } from "./background-handler.ts";
export { deploy, type Deployment } from "./deploy.ts";
export { handler, scheduleHandler } from "./handler.ts";
export { createNetlifyPlatform, type NetlifyPlatform } from "./platform.ts";
export type { NetlifyFunction } from "./types.ts";

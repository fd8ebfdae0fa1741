/** @module The runner's parts, for those who build a host of their own. */
export type { Host } from "../ports/host.ts";
export { createWebHost } from "./web-host.ts";

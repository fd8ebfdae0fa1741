/** Drives an engine for as long as the process lives: beside a server, or alone as a background worker. */
import { hostname } from "node:os";
import {
  createLoopPlatform,
  type LoopPlatform,
  type LoopPlatformOptions,
} from "@escapement/engine/adapter";

/** Polling, the end in order, and signals. */
export type NodePlatformOptions = LoopPlatformOptions;

/** For `createEngine({ platform })`; `start` then claims and runs. */
export type NodePlatform = LoopPlatform;

/** Creates the platform of a process on Node. */
export const createNodePlatform = (options: NodePlatformOptions = {}): NodePlatform => ({
  ...createLoopPlatform(options, process),
  runner: () => `${hostname()}:${process.pid}`,
});

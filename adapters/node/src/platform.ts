/** Drives an engine as long as the process lives: beside a server, or alone as a background worker. */
import { hostname } from "node:os";
import {
  createLoopPlatform,
  type LoopPlatform,
  type LoopPlatformOptions,
} from "@escapement/engine/adapter";

/** Options of polling, stopping and signals. */
export type NodePlatformOptions = LoopPlatformOptions;

/** Creates the platform of a process on Node, for `createEngine({ platform })`. Its `start` then claims and runs. */
export const createNodePlatform = (options: NodePlatformOptions = {}): LoopPlatform => ({
  ...createLoopPlatform(options, process),
  runner: () => `${hostname()}:${process.pid}`,
});

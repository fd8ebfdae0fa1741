/** Drives an engine for as long as the process lives: beside a server, or alone as a background worker. */
import { createLoopPlatform, type LoopPlatform } from "@escapement/engine/drive";

export interface NodePlatformOptions {
  /**
   * Longest time between two looks at the database, in milliseconds. What this process itself makes due runs at once and
   * what sleeps wakes on time; polling finds what other processes made due. @default 5000 @minimum 1
   */
  readonly pollMs?: number;
  /** How long `stop` waits for runs in hand, in milliseconds. @default 10000 @minimum 0 */
  readonly graceMs?: number;
  /** Stop at SIGTERM and SIGINT; a second signal ends the process as usual. @default false */
  readonly handleSignals?: boolean;
}

/** For `createEngine({ platform })`; `start` then claims and runs. */
export type NodePlatform = LoopPlatform;

export function createNodePlatform(options: NodePlatformOptions = {}): NodePlatform {
  const { pollMs = 5000, graceMs = 10_000, handleSignals = false } = options;
  return createLoopPlatform({ pollMs, graceMs, signals: handleSignals ? process : undefined });
}

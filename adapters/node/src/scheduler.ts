/** Drives an engine for as long as the process lives: beside a server, or alone as a background worker. */
import { keepRunning, type LoopEngine, type Scheduler } from "@escapement/engine/drive";
import type { NodeServer } from "./handler.ts";

export interface SchedulerOptions {
  /**
   * Longest time between two looks at the database, in milliseconds. What this process itself makes due runs at once and
   * what sleeps wakes on time; polling finds what other processes made due. @default 5000 @minimum 1
   */
  readonly pollMs?: number;
  /** How long `stop` waits for runs in hand, in milliseconds. @default 10000 @minimum 0 */
  readonly graceMs?: number;
  /** Closed after the loop, when stopping. @default none */
  readonly server?: Pick<NodeServer, "close">;
  /** Stop at SIGTERM and SIGINT; a second signal ends the process as usual. @default false */
  readonly handleSignals?: boolean;
}

/** Starts claiming and running at once. */
export function scheduler(engine: LoopEngine, options: SchedulerOptions = {}): Scheduler {
  const { pollMs = 5000, graceMs = 10_000, server, handleSignals = false } = options;
  return keepRunning(engine, {
    pollMs,
    graceMs,
    server,
    signals: handleSignals ? process : undefined,
  });
}

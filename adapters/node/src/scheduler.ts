/** Drives an engine for as long as the process lives: beside a server, or alone as a background worker. */
import type { Engine } from "@escapement/engine";
import type { NodeServer } from "./handler.ts";

/** All that the loop needs of an engine. */
export type LoopEngine = Pick<Engine, "startLoop">;

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

export interface Scheduler {
  /**
   * Claims nothing more, waits for the runs in hand, releases their leases, then closes the server. What is still in a
   * step after `graceMs` loses that attempt, and another process goes on at once. Calling it again waits for the same end.
   */
  stop(): Promise<void>;
  /** Resolves when stopped, by `stop` or by a signal: then close the store. */
  readonly stopped: Promise<void>;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Starts claiming and running at once. */
export function scheduler(engine: LoopEngine, options: SchedulerOptions = {}): Scheduler {
  const { pollMs = 5000, graceMs = 10_000, server, handleSignals = false } = options;
  const loop = engine.startLoop({ pollMs });
  const { promise: stopped, resolve: settle } = createDeferred();
  const onSignal = (): void => void stop();
  const stopInOrder = async (): Promise<void> => {
    try {
      await loop.stop({ graceMs });
    } finally {
      await server?.close();
    }
  };
  let isStopping = false;
  const stop = (): Promise<void> => {
    if (isStopping) return stopped;
    isStopping = true;
    for (const signal of SIGNALS) process.off(signal, onSignal);
    settle(stopInOrder());
    return stopped;
  };
  if (handleSignals) for (const signal of SIGNALS) process.on(signal, onSignal);
  return { stop, stopped };
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: (value: Promise<void>) => void;
}

function createDeferred(): Deferred {
  let resolve: Deferred["resolve"] = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

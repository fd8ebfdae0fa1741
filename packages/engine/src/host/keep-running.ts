/** A loop for as long as the process lives, and its end in order: for hosts that stay. */
import type { DurationMs } from "../core/model/records.ts";
import type { Engine } from "./engine.ts";

/** All that the loop needs of an engine. */
export type LoopEngine = Pick<Engine, "startLoop">;

export interface KeepRunningOptions {
  /** Longest time between two looks at the database, in milliseconds. @minimum 1 */
  readonly pollMs: DurationMs;
  /** How long `stop` waits for runs in hand, in milliseconds. @minimum 0 */
  readonly graceMs: DurationMs;
  /** Closed after the loop. @default none */
  readonly server?: { close(): Promise<void> } | undefined;
  /** The process, when SIGTERM and SIGINT are to stop; a second signal ends it as usual. @default none */
  readonly signals?: SignalSource | undefined;
}

/** The part of `process` that matters here. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

type StopSignal = "SIGTERM" | "SIGINT";

export interface Scheduler {
  /**
   * Claims nothing more, waits for the runs in hand, releases their leases, then closes the server. What is still in a
   * step after `graceMs` loses that attempt, and another process goes on at once. Calling it again waits for the same end.
   */
  stop(): Promise<void>;
  /** Resolves when stopped, by `stop` or by a signal: then close the store. */
  readonly stopped: Promise<void>;
}

const SIGNALS: readonly StopSignal[] = ["SIGTERM", "SIGINT"];

/** Starts claiming and running at once. */
export function keepRunning(engine: LoopEngine, options: KeepRunningOptions): Scheduler {
  const { pollMs, graceMs, server, signals } = options;
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
    for (const signal of SIGNALS) signals?.off(signal, onSignal);
    settle(stopInOrder());
    return stopped;
  };
  for (const signal of SIGNALS) signals?.on(signal, onSignal);
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

/** A loop that runs as long as the process, with an orderly end: for processes that stay. */
import type { DurationMs } from "../core/model/records.ts";
import { WorkflowError } from "../core/errors.ts";
import type { AttachedEngine, DrivingPlatform } from "../ports/platform.ts";
import { createAttachment } from "./attachment.ts";
import { endAsStopped } from "./end-as-stopped.ts";
import type { SignalSource, StopSignal } from "./signal-source.ts";
import { assertPlatformOptions } from "./platform-options.ts";

/** Options for polling, the end, and signals. */
export interface LoopPlatformOptions {
  /**
   * The longest time between two looks at the database, in milliseconds. What this process makes due itself runs at once, and
   * sleeps end on time. Polling finds what other processes make due, unless the database reports it earlier: see `notify` of
   * `postgres`, and `sqlite`.
   * @default 5000 @minimum 1
   */
  readonly pollMs?: DurationMs;
  /** How long `stop` waits for runs that the process holds, in milliseconds. @default 10000 @minimum 0 */
  readonly graceMs?: DurationMs;
  /** Stop at SIGTERM and SIGINT; a second signal ends the process as usual. @default false */
  readonly handleSignals?: boolean;
}

/** Options of `start`. */
export interface StartOptions {
  /** Closed after the loop, when stopping. @default none */
  readonly server?: { close(): Promise<void> } | undefined;
}

/** For `createEngine({ platform })`. The loop learns by itself what becomes due in this process, so nothing has to be woken. */
export interface LoopPlatform extends DrivingPlatform {
  /** Starts claiming and running at once. @throws {WorkflowError} WAKE_FAILED before an engine with a loop is made with it; UNKNOWN_OPTION, DEPLOY_OPTIONS_INVALID */
  start(options?: StartOptions): RunningPlatform;
  /** The engine that was created with this platform. @throws {WorkflowError} WAKE_FAILED before that */
  engine(): AttachedEngine;
}

/** A platform that was started. */
export interface RunningPlatform {
  /**
   * Claims nothing more, waits for the runs that the process holds, releases their leases, then closes the server and the store.
   * A run that is still in a step after `graceMs` loses that attempt, and another process continues it at once. A second call
   * waits for the same end.
   */
  stop(): Promise<void>;
  /** Resolves when stopped, by `stop` or by a signal. */
  readonly stopped: Promise<void>;
}

const SIGNALS: readonly StopSignal[] = ["SIGTERM", "SIGINT"];

/**
 * Creates the platform of a process that stays.
 *
 * @param process whose signals to handle
 * @throws {WorkflowError} UNKNOWN_OPTION
 */
export function createLoopPlatform(
  options: LoopPlatformOptions,
  process: SignalSource,
): LoopPlatform {
  assertPlatformOptions(options, { pollMs: 1, graceMs: 1, handleSignals: 1 });
  const { attach, engine } = createAttachment();
  const nothing = async (): Promise<void> => {};
  return {
    attach,
    engine,
    start: (given = {}) => {
      assertPlatformOptions(given, { server: 1 }, "platform.start");
      assertServer(given.server);
      return keepRunning(engine(), process, { ...options, server: given.server });
    },
    defer: () => undefined,
    wakeNow: nothing,
    wakeIn: nothing,
    deadline: () => null,
  };
}

/** A server that nobody awaited would be missed when everything ends. */
function assertServer(server: StartOptions["server"]): void {
  if (server === undefined || typeof server.close === "function") return;
  const message = 'the option "server" cannot be closed; expected what `await serve(…)` returns';
  throw new WorkflowError("DEPLOY_OPTIONS_INVALID", message, { option: "server" });
}

function keepRunning(
  engine: AttachedEngine,
  process: SignalSource,
  { server, ...options }: LoopPlatformOptions & StartOptions,
): RunningPlatform {
  const { pollMs = 5000, graceMs = 10_000, handleSignals = false } = options;
  const loop = engine.startLoop?.({ pollMs });
  if (loop === undefined) throw new WorkflowError("WAKE_FAILED", "this engine has no loop");
  let settle = (_end: Promise<void>): void => {};
  const stopped = new Promise<void>((resolve) => (settle = resolve));
  const listeners = SIGNALS.map((signal) => ({
    signal,
    onSignal: (): void => {
      const end = stop();
      endAsStopped(process, signal, end);
    },
  }));
  const closeInOrder = async (): Promise<void> => {
    try {
      await server?.close();
    } finally {
      // Only now: requests that were under way needed it.
      await engine.close?.();
    }
  };
  const stopInOrder = async (): Promise<void> => {
    try {
      await loop.stop({ graceMs });
    } finally {
      await closeInOrder();
    }
  };
  let isStopping = false;
  const stop = (): Promise<void> => {
    if (isStopping) return stopped;
    isStopping = true;
    for (const { signal, onSignal } of listeners) process.off(signal, onSignal);
    settle(stopInOrder());
    return stopped;
  };
  if (handleSignals) for (const { signal, onSignal } of listeners) process.on(signal, onSignal);
  return { stop, stopped };
}

/** Drives an engine for as long as the process lives, with Bun.cron as the net under the loop. */
import { createConsoleLogger, type Engine, type Logger } from "@escapement/engine";
import { toLogFields } from "@escapement/engine/errors";
import { keepRunning, type Scheduler, type SignalSource } from "@escapement/engine/drive";
import type { BunServer } from "./handler.ts";
import type { BunRuntime } from "./types.ts";

declare const Bun: BunRuntime;
declare const process: SignalSource;

/** All that the scheduler needs of an engine. */
export type ScheduledEngine = Pick<Engine, "startLoop" | "tick">;

export interface SchedulerOptions {
  /**
   * Longest time between two looks at the database, in milliseconds. What this process itself makes due runs at once and
   * what sleeps wakes on time; polling finds what other processes made due. @default 5000 @minimum 1
   */
  readonly pollMs?: number;
  /** When the safety-net tick runs: five cron fields, in UTC. @default "* * * * *", every minute */
  readonly cron?: string;
  /** How long `stop` waits for runs in hand, in milliseconds. @default 10000 @minimum 0 */
  readonly graceMs?: number;
  /** Closed after the loop, when stopping. @default none */
  readonly server?: Pick<BunServer, "close">;
  /** Stop at SIGTERM and SIGINT; a second signal ends the process as usual. @default false */
  readonly handleSignals?: boolean;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/**
 * Starts claiming and running at once.
 *
 * @throws {TypeError} Bun's own, for a cron expression that it cannot read; nothing runs then
 */
export function scheduler(engine: ScheduledEngine, options: SchedulerOptions = {}): Scheduler {
  const { pollMs = 5000, graceMs = 10_000, server, handleSignals = false } = options;
  const { cron = "* * * * *", logger = createConsoleLogger() } = options;
  const job = Bun.cron(cron, () => tickSafely(engine, logger), { tz: "UTC" });
  const signals = handleSignals ? process : undefined;
  // Whatever begins the end, a signal too, ends with the server: there the net is taken away.
  const close = async (): Promise<void> => {
    job.stop();
    await server?.close();
  };
  return keepRunning(engine, { pollMs, graceMs, signals, server: { close } });
}

/** What rejects in a handler of Bun.cron ends the process; a database that is away must not. */
async function tickSafely(engine: ScheduledEngine, logger: Logger): Promise<void> {
  try {
    await engine.tick();
  } catch (error) {
    logger.log("warn", "cron.tick_failed", toLogFields(error));
  }
}

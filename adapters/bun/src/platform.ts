/** Drives an engine for as long as the process lives, with Bun.cron as the net under the loop. */
import { createConsoleLogger, type Logger } from "@escapement/engine";
import { toLogFields } from "@escapement/engine/errors";
import { createLoopPlatform, type LoopPlatform, type SignalSource } from "@escapement/engine/drive";
import type { BunRuntime } from "./types.ts";

declare const Bun: BunRuntime;
declare const process: SignalSource;

export interface BunPlatformOptions {
  /**
   * Longest time between two looks at the database, in milliseconds. What this process itself makes due runs at once and
   * what sleeps wakes on time; polling finds what other processes made due. @default 5000 @minimum 1
   */
  readonly pollMs?: number;
  /** When the safety-net tick runs: five cron fields, in UTC. @default "* * * * *", every minute */
  readonly cron?: string;
  /** How long `stop` waits for runs in hand, in milliseconds. @default 10000 @minimum 0 */
  readonly graceMs?: number;
  /** Stop at SIGTERM and SIGINT; a second signal ends the process as usual. @default false */
  readonly handleSignals?: boolean;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

/** For `createEngine({ platform })`; `start` then claims and runs. It throws Bun's TypeError for a cron that it cannot read. */
export type BunPlatform = LoopPlatform;

export function createBunPlatform(options: BunPlatformOptions = {}): BunPlatform {
  const { pollMs = 5000, graceMs = 10_000, handleSignals = false } = options;
  const { cron = "* * * * *", logger = createConsoleLogger() } = options;
  const signals = handleSignals ? process : undefined;
  const platform = createLoopPlatform({ pollMs, graceMs, signals });
  return {
    ...platform,
    start: ({ server } = {}) => {
      const engine = platform.engine();
      // What rejects in a handler of Bun.cron ends the process; a database that is away must not.
      const tell = (error: unknown): void =>
        logger.log("warn", "cron.tick_failed", toLogFields(error));
      const tickSafely = async (): Promise<void> => void (await engine.tick().catch(tell));
      const job = Bun.cron(cron, tickSafely, { tz: "UTC" });
      // Whatever begins the end, a signal too, ends with the server: there the net is taken away.
      const close = async (): Promise<void> => {
        job.stop();
        await server?.close();
      };
      return platform.start({ server: { close } });
    },
  };
}

/** Drives an engine as long as the process lives, with Bun.cron as the loop's safety net. */
import { createConsoleLogger, type Logger } from "@escapement/engine";
import {
  assertPlatformOptions,
  createLoopPlatform,
  type LoopPlatform,
  type LoopPlatformOptions,
  toLogFields,
} from "@escapement/engine/adapter";
import { type BunProcess, toSignalSource } from "./signal-source.ts";
import type { BunRuntime } from "./types.ts";

declare const Bun: BunRuntime;
declare const process: BunProcess;

/** Options of the loop, its cron and signals. */
export interface BunPlatformOptions extends LoopPlatformOptions {
  /** When the safety-net tick runs: five cron fields, in UTC. @default "* * * * *", every minute */
  readonly cron?: string;
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
}

const OPTIONS: Readonly<Record<keyof BunPlatformOptions, 1>> = {
  pollMs: 1,
  graceMs: 1,
  handleSignals: 1,
  cron: 1,
  logger: 1,
};

/**
 * Creates the platform of a process on Bun: `createEngine({ platform: createBunPlatform({ handleSignals: true }), … })`. Nothing runs
 * until you call its `start({ server })`. It throws Bun's TypeError for a cron that Bun cannot read.
 */
export function createBunPlatform(options: BunPlatformOptions = {}): LoopPlatform {
  assertPlatformOptions(options, OPTIONS);
  const { cron = "* * * * *", logger = createConsoleLogger(), ...others } = options;
  const platform = createLoopPlatform(others, toSignalSource(process));
  return {
    ...platform,
    start: (given = {}) => {
      assertPlatformOptions(given, { server: 1 }, "platform.start");
      const { server } = given;
      const engine = platform.engine();
      // If a handler of Bun.cron rejects, the process ends, which an unreachable database must not cause.
      const tell = (error: unknown): void =>
        logger.log("warn", "cron.tick_failed", toLogFields(error));
      const tickSafely = async (): Promise<void> => void (await engine.tick().catch(tell));
      const job = Bun.cron(cron, tickSafely, { tz: "UTC" });
      // Every shutdown, including one by a signal, closes the server, so the cron is stopped there.
      const close = async (): Promise<void> => {
        job.stop();
        await server?.close();
      };
      return platform.start({ server: { close } });
    },
  };
}

/** Types only: the few parts of Deno that are used, so that you do not need its type package. */

/**
 * The parts of the global `Deno` that the adapter uses.
 *
 * @source https://docs.deno.com/runtime/fundamentals/cron/ and /signals, read 2026-11; run on Deno 2.9.6
 */
export interface DenoRuntime {
  /** Absent on your own machine without `--unstable-cron` or `"unstable": ["cron"]`. */
  readonly cron?: (name: string, schedule: string, run: () => Promise<void>) => unknown;
  readonly env: { get(name: string): string | undefined };
  addSignalListener(signal: "SIGINT" | "SIGTERM", listener: () => void): void;
  removeSignalListener(signal: "SIGINT" | "SIGTERM", listener: () => void): void;
  exit(code: number): void;
}

/** Types only: the little that is used of Deno, so that nobody needs its type package. */

/**
 * The global `Deno`, as far as the adapter uses it.
 *
 * @source https://docs.deno.com/runtime/fundamentals/cron/ and /signals, read 2026-11; run on Deno 2.9.6
 */
export interface DenoRuntime {
  /** Absent on a machine of your own without `--unstable-cron` or `"unstable": ["cron"]`. */
  readonly cron?: (name: string, schedule: string, run: () => Promise<void>) => unknown;
  readonly env: { get(name: string): string | undefined };
  addSignalListener(signal: "SIGINT" | "SIGTERM", listener: () => void): void;
  removeSignalListener(signal: "SIGINT" | "SIGTERM", listener: () => void): void;
  exit(code: number): void;
}

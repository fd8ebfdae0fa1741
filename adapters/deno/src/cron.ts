/** Ticks each minute by `Deno.cron`, and hands everything over when the instance is asked to stop. */
import {
  assertOption,
  assertPlatformOptions,
  endAsStopped,
  type MinuteHold,
  type RunningPlatform,
  type SignalSource,
} from "@escapement/engine/adapter";
import type { DenoRuntime } from "./deno-runtime.ts";

/** Options of the cron and of stopping. */
export interface StartOptions {
  /** Name of the cron in the dashboard, at most 256 characters. @default "escapement" */
  readonly name?: string;
  /** How long running steps may go on when stopping, in milliseconds. @default 3000 @minimum 0 @maximum 4000 */
  readonly graceMs?: number;
  /** Stop at SIGINT and SIGTERM, then end the process; a second signal ends it as usual. @default false */
  readonly handleSignals?: boolean;
  /** Called when leases are released and the store is closed. @default nothing */
  readonly onStop?: () => Promise<void>;
}

/**
 * Leaves time for the release itself within the 5 s between SIGINT and SIGKILL.
 *
 * @source https://docs.deno.com/deploy/reference/runtime/#shutdown, read 2026-11
 */
const MAX_GRACE_MS = 4000;
/** @source https://docs.deno.com/deploy/reference/cron/#restrictions, read 2026-11 */
const MAX_NAME_LENGTH = 256;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const START_OPTIONS: Readonly<Record<keyof StartOptions, 1>> = {
  name: 1,
  graceMs: 1,
  handleSignals: 1,
  onStop: 1,
};

/** @throws like `DenoPlatform.start` */
export function startCron(
  deno: DenoRuntime,
  minute: MinuteHold,
  options: StartOptions,
): Pick<RunningPlatform, "stop"> {
  assertPlatformOptions(options, START_OPTIONS, "platform.start");
  const { name = "escapement", graceMs = 3000, handleSignals = false, onStop } = options;
  const isName = name.length > 0 && name.length <= MAX_NAME_LENGTH;
  assertOption("name", isName, `1 to ${MAX_NAME_LENGTH} characters`);
  const isGrace = graceMs >= 0 && graceMs <= MAX_GRACE_MS;
  assertOption("graceMs", isGrace, `milliseconds from 0 to ${MAX_GRACE_MS}`);
  // Deno Deploy has it; elsewhere it needs `--unstable-cron`, or "unstable": ["cron"] in deno.json.
  const hasCron =
    'Deno.cron: run deno with --unstable-cron, or put "unstable": ["cron"] into deno.json';
  assertOption("unstable-cron", deno.cron !== undefined, hasCron);
  const engine = minute.engine();
  // A run that is due while another is under way is skipped: https://docs.deno.com/deploy/reference/cron/, read 2026-11; confirmed
  // on Deno 2.9.6.
  deno.cron(name, "* * * * *", () => minute.holdMinutes());
  const stopOnce = async (): Promise<void> => {
    const ticksEnded = minute.stop();
    // A loop that is stopped before its first claim; stopping it releases all runs of this process.
    await engine.startLoop?.().stop({ graceMs });
    // A tick that was claiming meanwhile releases what it got.
    await ticksEnded;
    await engine.close?.();
    await onStop?.();
  };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopped ??= stopOnce());
  if (handleSignals) stopAtSignals(deno, stop);
  return { stop };
}

function stopAtSignals(deno: DenoRuntime, stop: () => Promise<void>): void {
  const { process } = globalThis as { readonly process?: SignalSource };
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    for (const { name, listener } of listeners) deno.removeSignalListener(name, listener);
    const stopped = stop();
    // Deno tells its `process` of every error that nobody has caught.
    if (process !== undefined) endAsStopped(process, signal, stopped);
    // A turn later: whoever waited for a result has learned of the end by then, and may end the process with another code.
    stopped.then(
      () => setTimeout(() => deno.exit(0)),
      () => deno.exit(1),
    );
  };
  const listeners = SIGNALS.map((name) => ({ name, listener: () => onSignal(name) }));
  for (const { name, listener } of listeners) deno.addSignalListener(name, listener);
}

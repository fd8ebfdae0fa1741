/** Ticks by `Deno.cron`, each minute, and hands everything over when the instance is told to stop. */
import type { Engine } from "@escapement/engine";
import { demandOption } from "@escapement/engine/deploy";
import type { DenoRuntime } from "./deno-runtime.ts";
import { type DenoPlatform, findDeno } from "./platform.ts";

/** All that the scheduler needs of an engine. */
export type SchedulerEngine = Pick<Engine, "tick" | "startLoop">;

export interface SchedulerOptions {
  readonly platform: DenoPlatform;
  /** Name of the cron in the dashboard, at most 256 characters. @default "escapement" */
  readonly name?: string;
  /** How long steps in hand may go on when stopping, in milliseconds. @default 3000 @minimum 0 @maximum 4000 */
  readonly graceMs?: number;
  /** Stop at SIGINT and SIGTERM, then end the process; a second signal ends it as usual. @default false */
  readonly handleSignals?: boolean;
  /** Called once leases are released, for instance to close the store. @default nothing */
  readonly onStop?: () => Promise<void>;
  /** @default the global Deno */
  readonly deno?: DenoRuntime;
}

export interface Scheduler {
  /**
   * Starts no more ticks, gives steps in hand `graceMs`, then aborts them: the attempt counts as lost, the lease is
   * released, and another process goes on at once. Calling it again waits for the same end.
   */
  stop(): Promise<void>;
}

/**
 * Kept free of the 5 s between SIGINT and SIGKILL, for the release itself.
 *
 * @source https://docs.deno.com/deploy/reference/runtime/#shutdown, read 2026-11
 */
const MAX_GRACE_MS = 4000;
/** @source https://docs.deno.com/deploy/reference/cron/#restrictions, read 2026-11 */
const MAX_NAME_LENGTH = 256;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Registers the cron. Call it at the top level of a module, before `Deno.serve`: Deno Deploy evaluates the module when
 * it is deployed and takes the crons that it finds. Nothing here touches the database before the cron fires.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, also where Deno runs without `Deno.cron`
 */
export function scheduler(engine: SchedulerEngine, options: SchedulerOptions): Scheduler {
  const { platform, name = "escapement", graceMs = 3000, handleSignals = false, onStop } = options;
  const deno = findDeno(options.deno);
  demandOption("name", name.length > 0 && name.length <= MAX_NAME_LENGTH);
  demandOption("graceMs", graceMs >= 0 && graceMs <= MAX_GRACE_MS);
  // Deno Deploy has it; elsewhere `--unstable-cron`, or "unstable": ["cron"] in deno.json.
  demandOption("unstable-cron", deno.cron !== undefined);
  platform.attach(engine);
  // A fire that is due while one is under way is skipped: https://docs.deno.com/deploy/reference/cron/, read 2026-11;
  // so it is on Deno 2.9.6.
  deno.cron(name, "* * * * *", () => platform.holdMinutes());
  const stopOnce = async (): Promise<void> => {
    const ticksEnded = platform.stop();
    // A loop that is stopped before its first claim: stopping it is what hands over all runs of this process.
    await engine.startLoop().stop({ graceMs });
    // A tick that was claiming meanwhile hands back what it was given.
    await ticksEnded;
    await onStop?.();
  };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopped ??= stopOnce());
  if (handleSignals && platform.guardedTimeline === null) stopAtSignals(deno, stop);
  return { stop };
}

function stopAtSignals(deno: DenoRuntime, stop: () => Promise<void>): void {
  const onSignal = (): void => {
    for (const signal of SIGNALS) deno.removeSignalListener(signal, onSignal);
    stop().then(
      () => deno.exit(0),
      () => deno.exit(1),
    );
  };
  for (const signal of SIGNALS) deno.addSignalListener(signal, onSignal);
}

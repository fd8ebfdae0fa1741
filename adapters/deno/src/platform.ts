/** Ticks on Deno: in this process while a request or a cron keeps it alive, otherwise by a self-call. */
import type { Logger } from "@escapement/engine";
import {
  assertOption,
  assertPlatformOptions,
  createMinuteHold,
  createSelfCall,
  createTickPermit,
  createWakeNote,
  type DrivingPlatform,
  type MinuteHold,
  type RunningPlatform,
  type SelfCallOptions,
  type TickPermit,
} from "@escapement/engine/adapter";
import { startCron, type StartOptions } from "./cron.ts";
import type { DenoRuntime } from "./deno-runtime.ts";
import { type DenoKv, toNoteStore } from "./kv-note.ts";

/** Options of self-calls, the note in Deno KV, and the timelines that may tick. */
export interface DenoPlatformOptions {
  /**
   * Calls the tick route for work that a request made due. Needed on Deno Deploy. @default tick in this process, also if its
   * `url` is undefined
   */
  readonly selfCall?: Omit<SelfCallOptions, "url"> & { readonly url: string | undefined };
  /**
   * `await Deno.openKv()`. The time of the next work is noted there, and the cron asks the database only then, and once an
   * hour. Every process that creates or controls instances in this database must have it; what others write may be found an
   * hour late. Use one KV for one database. @default the cron asks the database every minute
   */
  readonly kv?: DenoKv;
  /** Timelines of Deno Deploy whose code may tick. @default ["production"] */
  readonly timelines?: readonly string[];
  /** @default warnings and errors as JSON lines on the console */
  readonly logger?: Logger;
  /** @default the global Deno */
  readonly deno?: DenoRuntime;
}

/** The platform for `createEngine({ platform })` and `handler`. */
export interface DenoPlatform
  extends DrivingPlatform, TickPermit, Pick<MinuteHold, "hold" | "holdMinutes"> {
  /**
   * Registers the cron. Call it at the top level of a module, before `Deno.serve`: Deno Deploy evaluates the module when it
   * is deployed, and registers the crons that it finds. The database is not used before the cron runs.
   *
   * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, also if Deno runs without `Deno.cron`; WAKE_FAILED before an engine is
   *   created with the platform
   */
  start(options?: StartOptions): Pick<RunningPlatform, "stop">;
}

/** Marks a tick that a request began, which does not wait for what another tick waits for. */
export const REQUEST_HEADER = "x-escapement-request";

/**
 * Creates the platform of a process on Deno or Deno Deploy, for `createEngine({ platform })`. Call its `start` before `Deno.serve`. On
 * Deno Deploy it needs `selfCall`; elsewhere it works without options.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function createDenoPlatform(options: DenoPlatformOptions = {}): DenoPlatform {
  assertPlatformOptions(options, { selfCall: 1, kv: 1, timelines: 1, logger: 1, deno: 1 });
  const { kv, timelines = ["production"] } = options;
  const { deno = (globalThis as { readonly Deno?: unknown }).Deno as DenoRuntime | undefined } =
    options;
  assertOption("deno", deno !== undefined, "to run in Deno; for Node there is @escapement/node");
  const note = createWakeNote(kv === undefined ? null : toNoteStore(kv), options);
  const minute = createMinuteHold({ ...options, note });
  const selfCall = toSelfCall(options.selfCall);
  // https://docs.deno.com/deploy/reference/cron/#timelines and /env_vars_and_contexts/, read 2026-11.
  const permit = createTickPermit("timeline", readEnv(deno, "DENO_TIMELINE"), timelines);
  const isGuarded = permit.refusedPlace !== null;
  if (isGuarded) void minute.stop();
  const { platform, hold, holdMinutes } = minute;
  return {
    ...platform,
    ...permit,
    hold,
    holdMinutes,
    // If ticks are not allowed here, the process has nothing to do at its end.
    start: (given = {}) =>
      startCron(deno, minute, isGuarded ? { ...given, handleSignals: false } : given),
    stays: () => !isGuarded && platform.stays?.() === true,
    wakeIn: async (delayMs, hint) => {
      // A tick has already noted the next time itself.
      if (hint.reason !== "wake") await note.open();
      await platform.wakeIn(delayMs, hint);
    },
    wakeNow: async (hint) => {
      await note.open();
      if (isGuarded) return;
      if (selfCall === null || hint.held !== undefined || minute.isHeld())
        return platform.wakeNow(hint);
      return selfCall();
    },
  };
}

function toSelfCall(route: DenoPlatformOptions["selfCall"]): (() => Promise<void>) | null {
  if (route?.url === undefined) return null;
  const headers = { ...route.headers, [REQUEST_HEADER]: "1" };
  return createSelfCall({ ...route, url: route.url, headers });
}

/** undefined also without --allow-env; Deno Deploy always allows it. */
function readEnv(deno: DenoRuntime, name: string): string | undefined {
  try {
    return deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** Ticks on Vercel: in the rest of the invocation that made work due, otherwise by the queue or a self-call. */
import { createConsoleLogger, type Logger } from "@escapement/engine";
import {
  assertOption,
  assertPlatformOptions,
  createQueueDrain,
  createSelfCall,
  createTickPermit,
  DRIVE_OPTIONS,
  type DriveOptions,
  type LeasedQueue,
  type QueueDrain,
  type SelfCallOptions,
  type StopSource,
  type TickPermit,
} from "@escapement/engine/adapter";
import { readContext } from "./request-context.ts";

/** Options of the platform, with limits of each tick and a logger. */
export interface VercelPlatformOptions extends Omit<DriveOptions, "hopCount" | "wakesFor"> {
  /** The queue for exact wakes and hand-overs, whose deliveries are known by their headers; see `vercelQueue`. @default exact wakes are left to the cron */
  readonly queue?: LeasedQueue<Headers>;
  /** Hands over without a queue, by calling the tick route. @default the cron continues */
  readonly selfCall?: SelfCallOptions;
  /** The function's `maxDuration` in milliseconds, if Vercel tells no deadline. @default 300000 @minimum 1000 */
  readonly maxDurationMs?: number;
  /** The value of `VERCEL_ENV`. @default none, which may tick */
  readonly environment?: string | undefined;
  /** Environments whose code may tick. @default ["production", "development"] */
  readonly environments?: readonly string[];
  /**
   * `process`, on Node: after its SIGTERM, up to 500 ms before the end, what is left is handed over. @default none @source
   * vercel.com/changelog, 2025-09-08
   */
  readonly signals?: StopSource;
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** The platform for `createEngine({ platform })`, `handler` and `wakeHandler`. */
export interface VercelPlatform extends QueueDrain<Headers>, TickPermit {
  readonly logger: Logger;
  readonly now: () => number;
}

const OPTIONS: Readonly<Record<keyof VercelPlatformOptions, 1>> = {
  ...DRIVE_OPTIONS,
  tripsLeft: 1,
  queue: 1,
  selfCall: 1,
  maxDurationMs: 1,
  environment: 1,
  environments: 1,
  signals: 1,
  now: 1,
};

/**
 * Creates the platform of a function on Vercel: `createVercelPlatform({ ...fromEnv(process.env, { topic: "orders" }), signals: process
 * })`. It works after the response, and wakes by Vercel Queues.
 *
 * @throws {WorkflowError} DEPLOY_OPTIONS_INVALID, UNKNOWN_OPTION
 */
export function createVercelPlatform(options: VercelPlatformOptions = {}): VercelPlatform {
  assertPlatformOptions(options, OPTIONS);
  const { queue = null, selfCall, maxDurationMs = 300_000, signals, ...others } = options;
  const { environment, environments = ["production", "development"], ...rest } = others;
  const { now = Date.now, logger = createConsoleLogger(), ...bounds } = rest;
  assertOption("maxDurationMs", maxDurationMs >= 1000, "milliseconds, 1000 or more");
  const permit = createTickPermit("environment", environment, environments);
  const drain = createQueueDrain({
    queue,
    bounds: { ...bounds, logger },
    // `vercel dev` ends its processes with this signal, and a listener would keep them alive.
    signals: environment === "development" ? undefined : signals,
    deadline: () => {
      const at = new Date(readContext().deadline ?? Number.NaN).getTime();
      return Number.isNaN(at) ? now() + maxDurationMs : at;
    },
    // Not the one of @vercel/functions, which silently drops work outside an invocation.
    waitUntil: () => readContext().waitUntil,
    // The function that is called answers first and then works, so that this one can end.
    handOver:
      selfCall &&
      createSelfCall({ ...selfCall, headers: { ...selfCall.headers, prefer: "respond-async" } }),
    now,
  });
  const withoutWakes = {
    stays: () => false,
    wakeNow: async (): Promise<void> => {},
    wakeIn: async (): Promise<void> => {},
  };
  return {
    ...drain,
    ...(permit.refusedPlace === null ? {} : withoutWakes),
    ...permit,
    now,
    logger,
  };
}

/** How ticks happen on Vercel: in what is left of the invocation that made work due, else by the queue or a self-call. */
import { createConsoleLogger, type Logger, type Platform } from "@escapement/engine";
import {
  createDeferrals,
  createDrain,
  createQueueWakes,
  type Drain,
  type QueueWakes,
} from "@escapement/engine/drive";
import { WorkflowError } from "@escapement/engine/errors";
import { createSelfCall, type SelfCallOptions } from "@escapement/engine/http";
import { createPersistentQueue } from "./persistent-queue.ts";
import { readContext } from "./request-context.ts";
import type { WakeQueue } from "./vercel-queue.ts";

export interface SchedulerOptions {
  /** Exact wakes and hand-overs; see `vercelQueue`. @default exact wakes are left to the cron */
  readonly queue?: WakeQueue;
  /** Hands over where there is no queue, by a call of the tick route. @default the cron goes on */
  readonly selfCall?: SelfCallOptions & {
    /** Lets it pass Deployment Protection: `VERCEL_AUTOMATION_BYPASS_SECRET`. @default none */
    readonly bypassSecret?: string | undefined;
  };
  /** The function's `maxDuration` in milliseconds, where Vercel tells no deadline. @default 300000 @minimum 1000 */
  readonly maxDurationMs?: number;
  /** `VERCEL_ENV`. @default none, which may tick */
  readonly environment?: string | undefined;
  /** Environments whose code may tick. @default ["production", "development"] */
  readonly environments?: readonly string[];
  /**
   * The process, on Node: after its SIGTERM, 500 ms before it is killed, nothing more is claimed or begun, and what is left
   * is handed over. Not heeded in `vercel dev`. @default none
   *
   * @source vercel.com/changelog/vercel-functions-now-support-graceful-shutdown, 2025-09-08
   */
  readonly signals?: { once(signal: "SIGTERM", listener: () => void): unknown };
  /** Process clock in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

/** With less time than this left, work is better begun in another invocation. */
const MIN_DRAIN_MS = 10_000;
/** The engine's default lease and a little more; where leases are longer, the tick then finds when they end. */
const LEASE_OVER_MS = 9000;

/** For `createEngine({ platform })`, `handler` and `wakeHandler`. */
export interface VercelScheduler extends Platform, Omit<Drain, "platform"> {
  readonly queue: WakeQueue | null;
  /** A message of the queue has been delivered. */
  readonly rang: QueueWakes["rang"];
  /** Wakes that the queue has not taken so far. */
  readonly lostCount: () => number;
  readonly now: () => number;
  /** The environment that this code runs in and must not tick in; null: it may. */
  readonly guardedEnvironment: string | null;
  /** Resolves when nothing is in hand that the platform would not wait for: await it before the answer. */
  settled(): Promise<void>;
}

/** One for each process. @throws {WorkflowError} DEPLOY_OPTIONS_INVALID */
export function scheduler(options: SchedulerOptions = {}): VercelScheduler {
  const { queue = null, maxDurationMs = 300_000, now = Date.now } = options;
  const { environment = "", environments = ["production", "development"] } = options;
  if (!(maxDurationMs >= 1000)) throw new WorkflowError("DEPLOY_OPTIONS_INVALID", "maxDurationMs");
  const isFree = environment === "" || environments.includes(environment);
  const { defer: keep, settled } = createDeferrals();
  const stopping = new AbortController();
  // `vercel dev` ends its processes by this signal, and one that is listened for ends none.
  const signals = environment === "development" ? undefined : options.signals;
  signals?.once("SIGTERM", () => stopping.abort());
  let logger: Logger = createConsoleLogger();
  const persistent = queue === null ? null : createPersistentQueue(queue, () => logger);
  const wakes = persistent === null ? null : createQueueWakes(persistent, now);
  const deadline = (): number => {
    if (stopping.signal.aborted) return now();
    const at = new Date(readContext().deadline ?? Number.NaN).getTime();
    return Number.isNaN(at) ? now() + maxDurationMs : at;
  };
  const { platform, ...drain } = createDrain({
    deadline,
    minDrainMs: MIN_DRAIN_MS,
    defer: (work) => {
      const { waitUntil } = readContext();
      // Outside an invocation nobody waits, and `waitUntil` of @vercel/functions would drop it without a word.
      if (waitUntil === undefined) keep(work);
      else waitUntil(work.catch(() => undefined));
    },
    handOver: wakes?.wakeNow ?? createCall(options),
    wakeAt: async (at) => wakes?.wakeAt(at),
    now,
  });
  /** Should this invocation end before its work does, the message finds what it left. */
  const armDeadMan = async (): Promise<void> => {
    const isLate = deadline() - now() < MIN_DRAIN_MS;
    // That it could not be armed has been logged, and the work is done all the same.
    if (!isLate) await wakes?.wakeAt(now() + LEASE_OVER_MS).catch(() => undefined);
  };
  // Previews take requests: with one database a preview's code would run production's workflows.
  const deaf = { wakeNow: async (): Promise<void> => {}, wakeAt: async (): Promise<void> => {} };
  return {
    ...platform,
    ...drain,
    wakeNow: async (hint) => {
      await armDeadMan();
      await platform.wakeNow(hint);
    },
    ...(isFree ? {} : deaf),
    attach: (engine, bounds) => {
      logger = bounds.logger;
      // Where wakes are exact, nobody is paid to wait for one.
      const lingering = queue === null ? {} : { lingerMs: 0 };
      drain.attach(engine, { signal: stopping.signal, ...lingering, ...bounds });
    },
    queue,
    rang: (message) => wakes?.rang(message),
    lostCount: () => persistent?.lostCount ?? 0,
    now,
    guardedEnvironment: isFree ? null : environment,
    settled,
  };
}

function createCall({ selfCall }: SchedulerOptions): (hopCount: number) => Promise<void> {
  if (selfCall === undefined)
    return async () => {
      throw new WorkflowError("WAKE_FAILED", "no time is left, and no queue and no selfCall given");
    };
  const { bypassSecret, headers, ...route } = selfCall;
  // vercel.com/docs/deployment-protection, read 2026-11-21.
  const bypass = bypassSecret === undefined ? {} : { "x-vercel-protection-bypass": bypassSecret };
  // The one that is called answers first and works then, so that this one may end.
  return createSelfCall({ ...route, headers: { ...headers, ...bypass, prefer: "respond-async" } });
}

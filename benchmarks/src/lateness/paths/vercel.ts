/** Vercel: the rest of the invocation, a queue that holds messages back, and cron at the precision of the plan. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createEngine } from "@escapement/engine";
import { createVercelPlatform, handler, wakeHandler } from "@escapement/vercel";
import { type Cause, every, QUIET, SIGNING_KEYS, type WakePath, type World } from "../wake-path.ts";

const LIMIT_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const [SECRET] = SIGNING_KEYS;
const TICK_URL = "https://app.vercel.app/api/workflows/_runner/tick";

interface Plan {
  readonly hasQueue: boolean;
  readonly cronMs: number;
  /** The cron runs anywhere in so much time. */
  readonly precisionMs: number;
}

/** What `@vercel/functions` reads. */
const context = new AsyncLocalStorage<object>();
const withContext = { get: () => context.getStore() };
Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: withContext });

const open =
  ({ hasQueue, cronMs, precisionMs }: Plan): WakePath["open"] =>
  ({ store, time, random, workflows, invoked }: World) => {
    const invoke = <T>(by: Cause, work: () => Promise<T>): Promise<T> => {
      invoked(by);
      const deadline = new Date(time.now() + LIMIT_MS);
      const waitUntil = (kept: Promise<unknown>): void => void kept.catch(() => undefined);
      return context.run({ deadline, waitUntil }, work);
    };
    const send = async (body: string, delaySeconds: number): Promise<void> => {
      const headers = { "ce-type": "com.vercel.queue.v2beta" };
      const init = { method: "POST", headers, body };
      const deliver = (): unknown => invoke("wake", () => wake(new Request(TICK_URL, init)));
      time.at(time.now() + delaySeconds * 1000 + random(1000), () => void deliver());
    };
    const lease = { acknowledge: async () => undefined, extend: async () => true };
    const queue = { maxDelaySeconds: 601_200, send, ...lease };
    const platform = createVercelPlatform({ logger: QUIET, ...(hasQueue ? { queue } : {}) });
    const engine = createEngine({
      workflows,
      store,
      platform,
      logger: QUIET,
      http: { open: true },
    });
    const answer = handler(engine, { platform, tick: { bearerSecret: SECRET } });
    const wake = wakeHandler(engine, { platform });
    const headers = { authorization: `Bearer ${SECRET}` };
    const tick = (): void =>
      void invoke("schedule", () => answer(new Request(TICK_URL, { headers })));
    every(time, { periodMs: cronMs, lateMs: () => random(precisionMs), run: tick });
    return (request) => invoke("request", () => answer(request));
  };

const HOURLY = { cronMs: DAY_MS, precisionMs: HOUR_MS };

export const VERCEL_QUEUE: WakePath = {
  name: "vercelQueue",
  says: "Vercel, any plan: Queues with a delay; daily cron under it",
  model: "Queues 0–1 s after a delay in whole seconds (assumed); cron anywhere in its hour",
  open: open({ hasQueue: true, ...HOURLY }),
};

export const VERCEL_MINUTE_CRON: WakePath = {
  name: "vercelMinuteCron",
  says: "Vercel Pro without Queues: minute cron",
  model: "cron anywhere in its minute",
  open: open({ hasQueue: false, cronMs: MINUTE_MS, precisionMs: MINUTE_MS }),
};

export const VERCEL_DAILY_CRON: WakePath = {
  name: "vercelDailyCron",
  says: "Vercel Hobby without Queues: daily cron",
  model: "cron anywhere in its hour",
  open: open({ hasQueue: false, ...HOURLY }),
};

/**
 * Vercel as `deploy` sets it up for Pro with a wake function: one for requests, one for messages of Vercel Queues, an hourly
 * cron. The adapter's own client of the queue speaks to the model in `vercel-queue-service.ts`.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createEngine, type Engine } from "@escapement/engine";
import { createVercelPlatform, handler, vercelQueue, wakeHandler } from "@escapement/vercel";
import { every, serveFetch, SIGNING_KEYS } from "../../lateness/wake-path.ts";
import { openShared } from "../sandboxes.ts";
import { type CostModel, DELIVERY_MS, type Deployed, type Scene, waitFor } from "../scene.ts";
import { openQueueService } from "./vercel-queue-service.ts";

type FunctionHandler = ReturnType<typeof handler>;

const LIMIT_MS = 300_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const [SECRET] = SIGNING_KEYS;
const TICK_URL = "https://app.vercel.app/api/workflows/_runner/tick";

/** What differs between plans. */
export interface VercelPlan {
  /** Exact wakes and hand-overs by Vercel Queues; else hand-overs by calls of itself. */
  readonly hasQueue: boolean;
  readonly cron: { readonly periodMs: number; readonly lateMs: number };
}

export const VERCEL: CostModel = {
  says: "Vercel",
  assumes: [
    "Pro, fluid, 2 GB, an hourly cron anywhere in its minute, 10 messages at once: the adapter's defaults with a wake function.",
    "Each of the two functions has one instance, with its own engine, that takes all requests. Its memory is billed while it has any invocation. Vercel may use more instances, which costs more.",
    "A message comes 0–0.2 s after its delay in whole seconds (assumed). A send with an idempotency key, and a delivery under maxConcurrency, are two operations each; an acknowledgement and an extension are one (vercel.com/docs/queues/pricing, copy of 2026-08-12).",
    "A workflow takes 11 ms of active CPU (assumed: 2 ms of the engine, and about 2 ms for each invocation). Steps wait and do not compute.",
  ],
  open: (scene) =>
    openVercel(scene, { hasQueue: true, cron: { periodMs: HOUR_MS, lateMs: MINUTE_MS } }),
};

export function openVercel(scene: Scene, plan: VercelPlan): Deployed {
  const { time, random } = scene;
  const { periodMs, lateMs } = plan.cron;
  const tick = { bearerSecret: SECRET, signingKeys: SIGNING_KEYS };
  const http = openFunction(scene, plan, "http", (engine, options) =>
    handler(engine, { ...options, tick }),
  );
  if (plan.hasQueue) openQueueService(scene, openFunction(scene, plan, "wake", wakeHandler));
  else serveFetch((call) => callItself(scene, http, call));
  const runCron = (): void => {
    scene.meter.count("cron");
    const headers = { authorization: `Bearer ${SECRET}` };
    void http(new Request(TICK_URL, { headers })).catch(scene.lost);
  };
  every(time, { periodMs, lateMs: () => random(lateMs), run: runCron });
  return async (request) => (await http(request)).status;
}

async function callItself(scene: Scene, http: FunctionHandler, call: Request): Promise<Response> {
  scene.wakes?.asked(null);
  await waitFor(scene.random(DELIVERY_MS));
  return http(call);
}

/** What `@vercel/functions` reads. */
const context = new AsyncLocalStorage<object>();
const withContext = { get: () => context.getStore() };

type ToHandler = (engine: Engine, options: Parameters<typeof wakeHandler>[1]) => FunctionHandler;

/** Instances that are in many invocations at once. An invocation lasts until its answer and all that it waits for. */
function openFunction(
  scene: Scene,
  { hasQueue }: VercelPlan,
  name: string,
  toHandler: ToHandler,
): FunctionHandler {
  const { store, time, meter, logger, isPreview } = scene;
  const environment = isPreview === true ? "preview" : "production";
  const self = { url: TICK_URL, signingKeys: SIGNING_KEYS };
  const wakes = hasQueue ? { queue: vercelQueue() } : { selfCall: self };
  Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: withContext });
  const instances = openShared(scene, () => {
    const platform = createVercelPlatform({ ...wakes, environment, logger });
    const { workflows } = scene;
    const engine = createEngine({ workflows, store, platform, logger, http: { open: true } });
    return toHandler(engine, { platform });
  });
  return (request) =>
    instances.run(async (answer, stayAlive) => {
      meter.count(`${name}.invocations`);
      const leave = meter.enter(name);
      const kept: Promise<unknown>[] = [];
      const waitUntil = (work: Promise<unknown>): void => void kept.push(work);
      const deadline = new Date(time.now() + LIMIT_MS);
      const response = await context.run({ deadline, waitUntil }, () => answer(request));
      stayAlive(settleAll(kept).then(leave));
      return response;
    });
}

async function settleAll(kept: readonly Promise<unknown>[]): Promise<void> {
  for (let count = -1; count < kept.length;) {
    count = kept.length;
    await Promise.allSettled(kept);
  }
}

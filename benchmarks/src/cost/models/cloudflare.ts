/** Cloudflare: one Worker before one Durable Object, whose alarms ring one after another. */
import { handler, host, type ObjectHost } from "@escapement/cloudflare";
import { createEngine } from "@escapement/engine";
import { every } from "../../lateness/wake-path.ts";
import { openShared, type Sandboxes } from "../sandboxes.ts";
import type { CostModel, Scene } from "../scene.ts";

const SAFETY_MS = 300_000;
const LATE_ALARM_MS = 10;
const LATE_CRON_MS = 60_000;
/** An alarm that fails rings again so much later, then after twice that, six times. @source developers.cloudflare.com/durable-objects/api/alarms */
const RETRY_MS = 2000;
const MAX_RETRIES = 6;

export const CLOUDFLARE: CostModel = {
  says: "Cloudflare",
  assumes: [
    "One object with its own SQLite, and a cron every 5 minutes: the adapter's defaults.",
    "The object is billed for 128 MB during a request or an alarm, and not while it may hibernate (developers.cloudflare.com/durable-objects/platform/pricing, copy of 2026-10).",
    "An alarm rings 0–10 ms late, and not while the last one runs (durable-objects/api/alarms gives no figure). Failovers are not included.",
    "A trip takes 5 ms here too, although the object's own SQLite needs none. So the object costs more here than it does.",
    "Each setAlarm is a row written. The workflow's rows are those of docs/rows.md, counted by a libSQL server, without those of renewed leases.",
    "A request to the object takes 2 ms of CPU (assumed).",
  ],
  open: (scene) => {
    const { time, random, meter } = scene;
    const object = openObject(scene);
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      meter.count("object.requests");
      const leave = meter.enter("object");
      return work().finally(leave);
    };
    const stub = {
      fetch: (request: Request) => counted(() => object.run((one) => one.fetch(request))),
      tick: () => counted(() => object.run((one) => one.tick())),
    };
    const objects = (): { getByName(): typeof stub } => ({ getByName: () => stub });
    const worker = handler({ objects, logger: scene.logger });
    const net = (): void => {
      meter.count("worker.invocations");
      void worker.scheduled({}, {}).catch(scene.lost);
    };
    every(time, { periodMs: SAFETY_MS, lateMs: () => random(LATE_CRON_MS), run: net });
    return async (request) => {
      meter.count("worker.invocations");
      return (await worker.fetch(request, {})).status;
    };
  },
};

/** There is one, whose alarm outlives it. */
function openObject(scene: Scene): Sandboxes<ObjectHost> {
  const { store, workflows, meter, logger } = scene;
  const storage = createAlarm(scene, async () => {
    meter.count("object.requests");
    meter.count("alarms");
    const leave = meter.enter("object");
    await object.run((one) => one.alarm()).finally(leave);
  });
  const object = openShared(scene, () =>
    host(
      {
        storage,
        waitUntil: (work) => void work.catch(() => undefined),
        blockConcurrencyWhile: (work) => work(),
      },
      (platform) => createEngine({ workflows, store, platform, logger, http: { open: true } }),
      { logger },
    ),
  );
  return object;
}

interface AlarmStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
}

/** One alarm, which does not ring while the last one works. */
function createAlarm(
  { time, random, meter, wakes, lost }: Scene,
  ring: () => Promise<void>,
): AlarmStorage {
  let alarmAt: number | null = null;
  /** The same; null: it was to ring at once. */
  let wakeAt: number | null = null;
  let isRinging = false;
  const ringAt = async (at: number): Promise<void> => {
    if (alarmAt !== at || isRinging) return;
    alarmAt = null;
    // One that another replaced was never to ring.
    wakes?.armed(wakeAt);
    for (const afterMs of wakes?.copiesAfterMs() ?? [])
      time.at(time.now() + afterMs, () => void ringNow(0));
    await ringNow(0);
  };
  const ringNow = async (retryCount: number): Promise<void> => {
    if (isRinging) return;
    isRinging = true;
    try {
      await ring();
    } catch (error) {
      if (wakes === undefined) lost(error);
      const at = time.now() + RETRY_MS * 2 ** retryCount;
      if (retryCount < MAX_RETRIES) time.at(at, () => void ringNow(retryCount + 1));
    } finally {
      isRinging = false;
    }
    if (alarmAt !== null) plan(alarmAt);
  };
  const plan = (at: number): void => time.at(at + random(LATE_ALARM_MS), () => void ringAt(at));
  return {
    getAlarm: async () => alarmAt,
    setAlarm: async (at) => {
      meter.count("setAlarms");
      wakeAt = at > time.now() ? at : null;
      wakes?.asked(wakeAt);
      alarmAt = at;
      plan(at);
    },
  };
}

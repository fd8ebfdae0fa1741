/** How late a sleep of each length ends on each wake path, by the virtual clock. */
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { LAMBDA_QUEUE, LAMBDA_SCHEDULES } from "./paths/aws-lambda.ts";
import { CLOUDFLARE } from "./paths/cloudflare.ts";
import { DENO } from "./paths/deno.ts";
import { BUN, NODE } from "./paths/loops.ts";
import { NETLIFY, NETLIFY_CHEAP } from "./paths/netlify.ts";
import { VERCEL_DAILY_CRON, VERCEL_MINUTE_CRON, VERCEL_QUEUE } from "./paths/vercel.ts";
import { type Lateness, toLateness } from "./percentiles.ts";
import { installVirtualTime, type VirtualTime } from "./virtual-time.ts";
import { createNap, NAP_NAME, type WakePath } from "./wake-path.ts";

export const WAKE_PATHS: readonly WakePath[] = [
  NODE,
  BUN,
  DENO,
  LAMBDA_QUEUE,
  LAMBDA_SCHEDULES,
  VERCEL_QUEUE,
  VERCEL_MINUTE_CRON,
  VERCEL_DAILY_CRON,
  NETLIFY,
  NETLIFY_CHEAP,
  CLOUDFLARE,
];

/** Lengths of sleeps in milliseconds, by their keys in the JSON output. */
export const SLEEPS: Readonly<Record<string, number>> = {
  "5 s": 5000,
  "90 s": 90_000,
  "20 min": 1_200_000,
};

export type LatenessFigures = Readonly<Record<string, Readonly<Record<string, Lateness>>>>;

const START_AT = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const INSTANCES_URL = `https://app.test/api/workflows/workflows/${NAP_NAME}/instances`;

/** Has this process's clock meanwhile: nothing else can run in it. @param samples sleeps of each length */
export async function measureLateness(samples: number): Promise<LatenessFigures> {
  const time = installVirtualTime(START_AT);
  const figures: Record<string, Record<string, Lateness>> = {};
  for (const path of WAKE_PATHS) {
    const ofPath: Record<string, Lateness> = {};
    // The same hours and the same luck for every path.
    const random = createRandom(20_261_121);
    for (const [key, sleepMs] of Object.entries(SLEEPS)) {
      const values: number[] = [];
      for (let sample = 0; sample < samples; sample += 1)
        values.push(await measureOnce({ path, sleepMs, time, random }));
      ofPath[key] = toLateness(values);
    }
    figures[path.name] = ofPath;
  }
  time.restore();
  return figures;
}

interface Trial {
  readonly path: WakePath;
  readonly sleepMs: number;
  readonly time: VirtualTime;
  readonly random: (below: number) => number;
}

/** One instance, alone in an application that nobody else uses, begun at any time of the day. */
async function measureOnce({ path, sleepMs, time, random }: Trial): Promise<number> {
  time.reset(random(DAY_MS));
  let awakeAt: number | null = null;
  const store = createMemoryStore({ now: time.now });
  const workflows = { NAP: createNap(() => void (awakeAt ??= time.now())) };
  const request = path.open({ time, store, random, workflows });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ id: "one", params: { sleepMs } });
  void request(new Request(INSTANCES_URL, { method: "POST", headers, body }));
  await time.runUntil(() => awakeAt !== null, 3 * DAY_MS);
  const { steps } = await createEngine({ workflows, store }).listHistory(NAP_NAME, "one", {});
  return (awakeAt ?? Number.NaN) - (steps[0]?.wakeAt ?? Number.NaN);
}

/** Mulberry32: the same figures in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below;
  };
}

/** How late a sleep of each length ends on each wake path, by the virtual clock. */
import { createEngine } from "@escapement/engine";
import { LAMBDA_QUEUE, LAMBDA_SCHEDULES } from "./paths/aws-lambda.ts";
import { CLOUDFLARE } from "./paths/cloudflare.ts";
import { DENO } from "./paths/deno.ts";
import { BUN, NODE } from "./paths/loops.ts";
import { NETLIFY, NETLIFY_CHEAP } from "./paths/netlify.ts";
import { VERCEL_DAILY_CRON, VERCEL_MINUTE_CRON, VERCEL_QUEUE } from "./paths/vercel.ts";
import { type Lateness, toLateness } from "./percentiles.ts";
import { INSTANCE_ID, openTrials, type Trials, WORK_NAME } from "./trial.ts";
import type { WakePath } from "./wake-path.ts";

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

/** Has this process's clock meanwhile: nothing else can run in it. @param samples sleeps of each length */
export async function measureLateness(samples: number): Promise<LatenessFigures> {
  const trials = openTrials();
  const figures: Record<string, Record<string, Lateness>> = {};
  for (const path of WAKE_PATHS) {
    const ofPath: Record<string, Lateness> = {};
    trials.reseed();
    for (const [key, sleepMs] of Object.entries(SLEEPS)) {
      const values: number[] = [];
      for (let sample = 0; sample < samples; sample += 1)
        values.push(await measureOnce(trials, path, sleepMs));
      ofPath[key] = toLateness(values);
    }
    figures[path.name] = ofPath;
  }
  trials.end();
  return figures;
}

async function measureOnce(trials: Trials, path: WakePath, sleepMs: number): Promise<number> {
  let awakeAt: number | null = null;
  const { store, workflows } = await trials.run({
    path,
    work: async (_event, step) => {
      await step.sleep("sleep", sleepMs);
      await step.do("wake", () => {
        awakeAt ??= trials.time.now();
      });
    },
    isDone: () => awakeAt !== null,
  });
  const engine = createEngine({ workflows, store });
  const { steps } = await engine.listHistory(WORK_NAME, INSTANCE_ID, {});
  return (awakeAt ?? Number.NaN) - (steps[0]?.wakeAt ?? Number.NaN);
}

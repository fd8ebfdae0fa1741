/** Trips and invocations that a workflow of three steps takes on each platform, alone in an idle application. */
import type { defineWorkflow } from "@escapement/engine";
import { LAMBDA_SCHEDULES } from "../lateness/paths/aws-lambda.ts";
import { CLOUDFLARE } from "../lateness/paths/cloudflare.ts";
import { DENO } from "../lateness/paths/deno.ts";
import { BUN, NODE } from "../lateness/paths/loops.ts";
import { NETLIFY } from "../lateness/paths/netlify.ts";
import { VERCEL_QUEUE } from "../lateness/paths/vercel.ts";
import { openTrials, type Trials } from "../lateness/trial.ts";
import type { Cause, WakePath, World } from "../lateness/wake-path.ts";
import { median } from "../rounds.ts";
import type { PlatformName } from "./platform-rows.ts";

/** Each platform as its adapter drives it by default. */
const PATHS: Readonly<Record<PlatformName, WakePath>> = {
  node: NODE,
  bun: BUN,
  deno: DENO,
  awsLambda: LAMBDA_SCHEDULES,
  vercel: VERCEL_QUEUE,
  netlify: NETLIFY,
  cloudflare: CLOUDFLARE,
};

type WorkBody = Parameters<typeof defineWorkflow>[1];

/** Between the first step and the second, the longer one sleeps for 90 s. */
const WORK: Readonly<Record<"three" | "threeAndASleep", number>> = {
  three: 0,
  threeAndASleep: 90_000,
};
/** After its last commit an instance may still cost something: the tick that looks for more. */
const AFTERMATH_MS = 1000;

/** Medians, from the request on that creates the instance to a second after its end. */
export interface WorkCount {
  /** Calls of the store, each of which is one round trip on every client. */
  readonly trips: number;
  /** Besides that request's. */
  readonly invocations: number;
}

export type WorkCounts = Readonly<Record<keyof typeof WORK, WorkCount>>;

/** Has this process's clock meanwhile. */
export async function countWork(
  samples: number,
): Promise<Readonly<Record<PlatformName, WorkCounts>>> {
  const trials = openTrials();
  const counts: Partial<Record<PlatformName, WorkCounts>> = {};
  for (const [name, path] of Object.entries(PATHS) as [PlatformName, WakePath][]) {
    trials.reseed();
    counts[name] = {
      three: await countMany(trials, { path, sleepMs: WORK.three, samples }),
      threeAndASleep: await countMany(trials, { path, sleepMs: WORK.threeAndASleep, samples }),
    };
  }
  trials.end();
  return counts as Record<PlatformName, WorkCounts>;
}

interface Counting {
  readonly path: WakePath;
  readonly sleepMs: number;
  readonly samples: number;
}

async function countMany(trials: Trials, counting: Counting): Promise<WorkCount> {
  const counts: WorkCount[] = [];
  for (let sample = 0; sample < counting.samples; sample += 1)
    counts.push(await countOnce(trials, counting));
  return {
    trips: median(counts.map(({ trips }) => trips)),
    invocations: median(counts.map(({ invocations }) => invocations)),
  };
}

async function countOnce(trials: Trials, { path, sleepMs }: Counting): Promise<WorkCount> {
  let [trips, invocations] = [0, 0];
  let endedAt: number | null = null;
  let isIn = false;
  const work: WorkBody = async (_event, step) => {
    await step.do("a", () => ({ a: 1 }));
    if (sleepMs > 0) await step.sleep("rest", sleepMs);
    await step.do("b", () => ({ b: 2 }));
    await step.do("c", () => ({ c: 3 }));
    endedAt ??= trials.time.now();
    return { ok: true };
  };
  // What an idle application spends before there is an instance is not the instance's.
  const onTrip = (verb: string): void => {
    if (verb === "create") isIn = true;
    if (isIn) trips += 1;
  };
  const onInvoked = (by: Cause): void => {
    if (isIn && by !== "request") invocations += 1;
  };
  await trials.run({
    path,
    work,
    wrapStore: (store) => countCalls(store, onTrip),
    onInvoked,
    isDone: ({ now, at }) => {
      if (endedAt === null) return false;
      if (now() < endedAt + AFTERMATH_MS) at(endedAt + AFTERMATH_MS, () => undefined);
      return now() >= endedAt + AFTERMATH_MS;
    },
  });
  return { trips, invocations };
}

function countCalls(store: World["store"], onTrip: (verb: string) => void): World["store"] {
  const verbs = ["create", "claim", "commit", "loadInstance", "loadHistory", "now"] as const;
  const counted = { ...store };
  for (const verb of verbs) {
    const call = store[verb] as (...given: unknown[]) => Promise<unknown>;
    const countedCall = (...given: unknown[]): Promise<unknown> => {
      onTrip(verb);
      return call(...given);
    };
    Object.assign(counted, { [verb]: countedCall });
  }
  return counted;
}

/** W1 to W5: each drives one contender once and returns samples by metric. */
import type { Contender } from "../contender.ts";
import type { Milestones } from "../milestones.ts";
import { CONCURRENCY, type Size } from "../sizes.ts";
import { SLEEP_MS } from "../work.ts";
import { inParallel } from "./in-parallel.ts";

export type Samples = Readonly<Record<string, readonly number[]>>;

export interface Bench {
  readonly contender: Contender;
  readonly milestones: Milestones;
  readonly size: Size;
}

type Drive = (bench: Bench) => Promise<Samples>;

export interface Workload {
  /** For `--only`. */
  readonly id: string;
  readonly drive: Drive;
}

let keys = 0;
const newKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

const elapsedMs = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
};

async function sampled(count: number, sample: () => Promise<number>): Promise<number[]> {
  const samples: number[] = [];
  for (let index = 0; index < count; index += 1) samples.push(await sample());
  return samples;
}

/** Three steps, one instance at a time: from create until the last commit is applied. */
const oneAtATime: Drive = async ({ contender, size }) => ({
  w1OneAtATimeMs: await sampled(size.oneAtATime, () =>
    elapsedMs(async () => contender.ended(await contender.start("three", { key: newKey() }))),
  ),
});

/** Three steps, many at once: until the last commit of the last one is applied. */
const atOnce: Drive = async ({ contender, size }) => {
  const tookMs = await elapsedMs(async () => {
    const ids = await inParallel(size.atOnce, CONCURRENCY, () =>
      contender.start("three", { key: newKey() }),
    );
    await Promise.all(ids.map((id) => contender.ended(id)));
  });
  return { w1ThroughputPerSecond: [(size.atOnce * 1000) / tookMs] };
};

/** Many steps in sequence, then an event: time per step, and from the event to the code that follows it. */
const sequence: Drive = async ({ contender, milestones, size }) => {
  const key = newKey();
  const startedAtMs = performance.now();
  const id = await contender.start("long", { key, stepCount: size.sequentialSteps });
  const stepsMs = (await milestones.reached(`${key}:steps`)) - startedAtMs;
  await contender.parked(id);
  const sentAtMs = performance.now();
  await contender.sendEvent(id, { ok: true });
  const resumeMs = (await milestones.reached(`${key}:resumed`)) - sentAtMs;
  await contender.ended(id);
  return { w2StepMs: [stepsMs / size.sequentialSteps], w2ResumeMs: [resumeMs] };
};

/** From sending an event until the last commit of the instance that waited for it. */
const event: Drive = async ({ contender, size }) => ({
  w3EventMs: await sampled(size.events, async () => {
    const id = await contender.start("event", { key: newKey() });
    await contender.parked(id);
    return elapsedMs(async () => {
      await contender.sendEvent(id, { ok: true });
      await contender.ended(id);
    });
  }),
});

/** How much longer a sleep takes, as its workflow sees it. */
const sleep: Drive = async ({ contender, milestones, size }) => ({
  w4OvershootMs: await sampled(size.sleeps, async () => {
    const key = newKey();
    const id = await contender.start("sleep", { key });
    const fellAsleepAtMs = await milestones.reached(`${key}:before`);
    const overshootMs = (await milestones.reached(`${key}:after`)) - fellAsleepAtMs - SLEEP_MS;
    await contender.ended(id);
    return overshootMs;
  }),
});

/** Steps in parallel in one instance. */
const fan: Drive = async ({ contender, size }) => ({
  w5FanMs: await sampled(size.fans, () =>
    elapsedMs(async () => {
      const stepCount = size.parallelSteps;
      await contender.ended(await contender.start("fan", { key: newKey(), stepCount }));
    }),
  ),
});

/** In the order in which they run. */
export const WORKLOADS: readonly Workload[] = [
  { id: "w1a", drive: oneAtATime },
  { id: "w1b", drive: atOnce },
  { id: "w2", drive: sequence },
  { id: "w3", drive: event },
  { id: "w4", drive: sleep },
  { id: "w5", drive: fan },
];

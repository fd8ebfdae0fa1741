/** One platform under one load, in its steady state: begun with as many asleep as an hour of it leaves. */
import { createRandom } from "../lateness/seeded-random.ts";
import { QUIET } from "../lateness/wake-path.ts";
import type { VirtualTime } from "../lateness/virtual-time.ts";
import { createMeter, type Tally } from "./meter.ts";
import { putToSleep } from "./put-to-sleep.ts";
import type { CostModel, Scene } from "./scene.ts";
import { slowDown } from "./slow-store.ts";
import { createWorkload, WARM_UP_MS } from "./workload.ts";

const SEED = 20_261_121;

export interface Busy {
  readonly perMonth: number;
  /** How long is counted, by the virtual clock. */
  readonly windowMs: number;
}

/** @returns what was counted in the window, after a warm-up */
export async function simulateBusy(
  time: VirtualTime,
  model: CostModel,
  { perMonth, windowMs }: Busy,
): Promise<Tally> {
  time.reset(0);
  const workload = createWorkload();
  const sleepers = workload.sleepers(perMonth);
  const store = await putToSleep(time, workload.workflows, sleepers);
  const scene = openScene(time, store, workload.workflows);
  workload.start(scene, model.open(scene), { perMonth, sleepers });
  await pass(time, WARM_UP_MS);
  return countFor(scene, windowMs);
}

export function openScene(
  time: VirtualTime,
  store: Scene["store"],
  workflows: Scene["workflows"],
): Scene {
  const meter = createMeter(time.now);
  const random = createRandom(SEED);
  const lost = (error: unknown): void => {
    // Nobody catches it: it ends the process.
    throw error;
  };
  return { time, store: slowDown(store, meter), random, workflows, meter, logger: QUIET, lost };
}

export async function countFor({ time, meter }: Scene, windowMs: number): Promise<Tally> {
  meter.begin();
  await pass(time, windowMs);
  return meter.end();
}

async function pass(time: VirtualTime, ms: number): Promise<void> {
  const until = time.now() + ms;
  time.at(until, () => undefined);
  await time.runUntil(() => time.now() >= until, ms);
}

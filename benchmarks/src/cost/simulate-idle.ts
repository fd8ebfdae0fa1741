/** An application in which many are asleep and nothing is due. */
import type { VirtualTime } from "../lateness/virtual-time.ts";
import type { Tally } from "./meter.ts";
import { putToSleep } from "./put-to-sleep.ts";
import type { CostModel, Scene } from "./scene.ts";
import { countFor, openScene } from "./simulate.ts";
import { createWorkload, type Workload } from "./workload.ts";

const SLEEP_MS = 90 * 86_400_000;
/** After so long the platform has armed what it arms. */
const SETTLING_MS = 7_200_000;

export interface Idle {
  readonly workload: Workload;
  /** May serve one platform after another. */
  readonly store: Scene["store"];
}

export async function prepareIdle(time: VirtualTime, asleep: number): Promise<Idle> {
  time.reset(0);
  const workload = createWorkload();
  const sleepers = Array.from({ length: asleep }, (_none, index) => ({
    id: `sleeper-${index}`,
    params: { sleepMs: SLEEP_MS },
  }));
  return { workload, store: await putToSleep(time, workload.workflows, sleepers) };
}

/** @returns what was counted in the window, after a while */
export async function simulateIdle(
  time: VirtualTime,
  model: CostModel,
  { workload, store, windowMs }: Idle & { readonly windowMs: number },
): Promise<Tally> {
  time.reset(0);
  const scene = openScene(time, store, workload.workflows);
  model.open(scene);
  await countFor(scene, SETTLING_MS);
  return countFor(scene, windowMs);
}

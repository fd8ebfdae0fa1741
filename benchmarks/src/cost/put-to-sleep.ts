/** Instances that are asleep when a simulation begins, made by an engine that no platform drives and no trip delays. */
import { createEngine } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { QUIET } from "../lateness/wake-path.ts";
import type { VirtualTime } from "../lateness/virtual-time.ts";
import type { Scene } from "./scene.ts";

export interface Sleeper {
  readonly id: string;
  readonly params: { readonly sleepMs: number };
}

const BATCH = 100;
const LIMIT_MS = 3_600_000;

/** @returns a store in which all of them have run their first step and sleep */
export async function putToSleep(
  time: VirtualTime,
  workflows: Scene["workflows"],
  sleepers: readonly Sleeper[],
): Promise<Scene["store"]> {
  const store = createMemoryStore({ now: time.now });
  const engine = createEngine({ workflows, store, logger: QUIET });
  let isDone = false;
  const populate = async (): Promise<void> => {
    for (let from = 0; from < sleepers.length; from += BATCH) {
      await engine.workflows.WORK.createBatch(sleepers.slice(from, from + BATCH));
      await engine.tick({ maxInstances: BATCH, lingerMs: 0 });
    }
    isDone = true;
  };
  // The clock moves on only where something is timed.
  setInterval(() => undefined, 1);
  void populate();
  await time.runUntil(() => isDone, LIMIT_MS);
  time.reset(0);
  return store;
}

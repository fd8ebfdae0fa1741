/** One instance on one wake path, alone in an application that nobody else uses. */
import { defineWorkflow } from "@escapement/engine";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createRandom } from "./seeded-random.ts";
import { installVirtualTime, type VirtualTime } from "./virtual-time.ts";
import type { Cause, WakePath, World } from "./wake-path.ts";

export const WORK_NAME = "work";
export const INSTANCE_ID = "one";

const START_AT = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const INSTANCES_URL = `https://app.test/api/workflows/workflows/${WORK_NAME}/instances`;

type WorkBody = Parameters<typeof defineWorkflow>[1];

export interface Trial {
  readonly path: WakePath;
  readonly work: WorkBody;
  readonly wrapStore?: (store: World["store"]) => World["store"];
  readonly onInvoked?: (by: Cause) => void;
  /** Whether there is nothing more to see. */
  readonly isDone: (time: VirtualTime) => boolean;
}

export interface Trials {
  readonly time: VirtualTime;
  /** Begins at any time of the day. @returns the store as it then is */
  run(trial: Trial): Promise<World>;
  /** The next trials have the same hours and the same luck. */
  reseed(): void;
  /** Gives the process its clock back. */
  end(): void;
}

/** Has this process's clock until `end`: nothing else can run in it. */
export function openTrials(): Trials {
  const time = installVirtualTime(START_AT);
  let random = createRandom(SEED);
  return {
    time,
    reseed: () => {
      random = createRandom(SEED);
    },
    run: async ({ path, work, wrapStore, onInvoked, isDone }) => {
      time.reset(random(DAY_MS));
      const memory = createMemoryStore({ now: time.now });
      const world: World = {
        time,
        random,
        store: wrapStore === undefined ? memory : wrapStore(memory),
        workflows: { WORK: defineWorkflow({ name: WORK_NAME }, work) },
        invoked: (by) => onInvoked?.(by),
      };
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ id: INSTANCE_ID }) };
      void path.open(world)(new Request(INSTANCES_URL, init));
      await time.runUntil(() => isDone(time), 3 * DAY_MS);
      return world;
    },
    end: () => time.restore(),
  };
}

const SEED = 20_261_121;

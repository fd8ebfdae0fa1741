/** The canonical work, written once for both contenders. */
import type { Milestones } from "./milestones.ts";

/** The durable operations that the work needs. */
export interface WorkSteps {
  do<T>(name: string, body: () => Promise<T>): Promise<T>;
  sleep(name: string, durationMs: number): Promise<void>;
  event(name: string): Promise<unknown>;
}

/** What an instance is given. */
export interface WorkInput {
  /** Names the milestones of this instance. */
  readonly key: string;
  /** Steps, where the work takes a number. @default 0 */
  readonly stepCount?: number;
}

type Work = (steps: WorkSteps, input: WorkInput, milestones: Milestones) => Promise<unknown>;

export type WorkName = "three" | "long" | "event" | "sleep" | "fan" | "held";

/** Sleep of the work `sleep`, in milliseconds. */
export const SLEEP_MS = 1000;

export const WORK: Readonly<Record<WorkName, Work>> = {
  async three(steps) {
    await steps.do("a", async () => ({ a: 1 }));
    await steps.do("b", async () => ({ b: 2 }));
    await steps.do("c", async () => ({ c: 3 }));
    return { ok: true };
  },
  async long(steps, { key, stepCount = 0 }, milestones) {
    for (let k = 0; k < stepCount; k += 1) await steps.do(`step ${k}`, async () => ({ k }));
    milestones.reach(`${key}:steps`);
    await steps.event("go on");
    milestones.reach(`${key}:resumed`);
    return { ok: true };
  },
  event: (steps) => steps.event("go on"),
  async sleep(steps, { key }, milestones) {
    milestones.reach(`${key}:before`);
    await steps.sleep("rest", SLEEP_MS);
    milestones.reach(`${key}:after`);
    return { ok: true };
  },
  async fan(steps, { stepCount = 0 }) {
    const parts = Array.from({ length: stepCount }, (_, k) =>
      steps.do(`part ${k}`, async () => ({ k })),
    );
    return (await Promise.all(parts)).length;
  },
  async held(steps, { key, stepCount = 0 }, milestones) {
    for (let k = 0; k < stepCount; k += 1) await steps.do(`step ${k}`, async () => ({ k }));
    await steps.do("hold", async () => {
      milestones.reach(`${key}:held`);
      await milestones.reached(`${key}:let go`);
    });
    return { ok: true };
  },
};

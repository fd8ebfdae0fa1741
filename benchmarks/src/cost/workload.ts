/**
 * The workflow that everything here is counted for: created over HTTP, three steps of 50 ms, one sleep of an hour, one event
 * 5 to 15 minutes later, end. Arrivals are Poisson's.
 */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { createRandom } from "../lateness/seeded-random.ts";
import type { Sleeper } from "./put-to-sleep.ts";
import { type Deployed, type Scene, waitFor } from "./scene.ts";

export const MONTH_MS: number = 730 * 3_600_000;
const STEP_MS = 50;
const SLEEP_MS = 3_600_000;
const EVENT_MS = { from: 300_000, within: 600_000 };
/** After so long as many are sent an event as are created and as wake. */
export const WARM_UP_MS: number = EVENT_MS.from + EVENT_MS.within + 60_000;
const SEED = 20_261_122;
const INSTANCES_URL = "https://app.test/api/workflows/workflows/work/instances";

export interface Workload {
  readonly workflows: { readonly WORK: WorkflowDefinition };
  /** Those that an hour of arrivals has left asleep. */
  sleepers(perMonth: number): readonly Sleeper[];
  /** Sends requests from now on, and in time what the sleepers wait for. */
  start(scene: Scene, deployed: Deployed, load: Load): void;
}

interface Load {
  /** Workflows created, on average. */
  readonly perMonth: number;
  readonly sleepers: readonly Sleeper[];
}

interface State {
  readonly random: (below: number) => number;
  scene: Scene | null;
  /** When what came due, by instance: for how late its code runs. */
  readonly wakesAt: Map<string, number>;
  readonly sentAt: Map<string, number>;
}

export function createWorkload(): Workload {
  const random = createRandom(SEED);
  const state: State = { random, scene: null, wakesAt: new Map(), sentAt: new Map() };
  return {
    workflows: { WORK: defineWork(state) },
    sleepers: (perMonth) => {
      const sleepers: Sleeper[] = [];
      for (let at = 0; ;) {
        at += toGapMs(random, perMonth);
        if (at >= SLEEP_MS) return sleepers;
        sleepers.push({ id: `before-${sleepers.length}`, params: { sleepMs: at } });
      }
    },
    start: (scene, deployed, { perMonth, sleepers }) => {
      state.scene = scene;
      for (const { id, params } of sleepers) planEvent(state, deployed, id, params.sleepMs);
      planArrivals(state, deployed, perMonth);
    },
  };
}

const defineWork = (state: State): WorkflowDefinition =>
  defineWorkflow({ name: "work" }, async ({ instanceId, payload }, step) => {
    const { sleepMs = SLEEP_MS } = payload as Partial<Sleeper["params"]>;
    await step.do("first", async () => {
      await waitFor(STEP_MS);
      state.wakesAt.set(instanceId, Date.now() + sleepMs);
    });
    await step.sleep("an hour", sleepMs);
    await step.do("second", async () => {
      sample(state, "sleepLateMs", state.wakesAt.get(instanceId));
      await waitFor(STEP_MS);
    });
    await step.waitForEvent("go", { type: "go" });
    await step.do("third", async () => {
      sample(state, "eventLateMs", state.sentAt.get(instanceId));
      await waitFor(STEP_MS);
    });
    state.scene?.meter.count("ended");
  });

function sample({ scene }: State, what: string, dueAt: number | undefined): void {
  if (scene !== null && dueAt !== undefined) scene.meter.sample(what, scene.time.now() - dueAt);
}

const toGapMs = (random: State["random"], perMonth: number): number =>
  (-Math.log(1 - random(1)) * MONTH_MS) / perMonth;

function planArrivals(state: State, deployed: Deployed, perMonth: number): void {
  let count = 0;
  const next = (): void =>
    after(state, toGapMs(state.random, perMonth), () => {
      count += 1;
      const id = `new-${count}`;
      state.scene?.meter.count("created");
      void post(deployed, INSTANCES_URL, { id, params: {} });
      planEvent(state, deployed, id, SLEEP_MS);
      next();
    });
  next();
}

function planEvent(state: State, deployed: Deployed, id: string, sleepMs: number): void {
  const { from, within } = EVENT_MS;
  after(state, sleepMs + from + state.random(within), () => {
    state.sentAt.set(id, Date.now());
    void post(deployed, `${INSTANCES_URL}/${id}/events`, { type: "go" });
  });
}

const after = ({ scene }: State, ms: number, run: () => void): void =>
  scene?.time.at(scene.time.now() + ms, run);

async function post(deployed: Deployed, url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const status = await deployed(new Request(url, init));
  if (status >= 300) throw new TypeError(`${url} was answered with ${status}`);
}

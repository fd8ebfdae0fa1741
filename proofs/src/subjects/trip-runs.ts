/** Operations of docs/trips.md that run workflows: ticks, loops, scopes, topics, streams. */
import { createEngine } from "@escapement/engine";
import { expect } from "vitest";
import { news, range, topics, workflows } from "./trip-workflows.ts";
import { type Operation, type Scene, tick } from "./trip-operation.ts";

const N = 1000;
/** Trips of a run without a child where it is created. */
const CREATE_AND_FINISH = 2;

/** An engine whose loop has looked at the database: until then it holds all slots for what it may find. */
async function withIdleLoop(
  { wired: { store } }: Scene,
  measure: (engine: Scene["engine"]) => Promise<number>,
): Promise<number> {
  let claims = 0;
  const claim: typeof store.claim = async (request) => {
    const result = await store.claim(request);
    claims += 1;
    return result;
  };
  const engine = createEngine({ workflows, topics, store: { ...store, claim } });
  const loop = engine.startLoop({ pollMs: 600_000 });
  await expect.poll(() => claims, { interval: 5 }).toBe(1);
  const trips = await measure(engine);
  await loop.stop();
  return trips;
}

function scopesOf(
  params: string,
  { name, budget, ends = "complete" }: Pick<Operation, "name" | "budget"> & { ends?: string },
): Operation {
  return {
    name,
    budget,
    async measure(scene) {
      const id = params.replaceAll(" ", "-");
      const instance = await scene.engine.workflows.SCOPES.create({ id, params });
      const trips = await scene.count(() => tick(scene));
      expect(await instance.status()).toMatchObject({ status: ends });
      return trips;
    },
  };
}

/** Behind `CALLS`, in this order: some go on with what others have left. */
export const RUNS: readonly Operation[] = [
  {
    name: "an event taken by a parked instance, to its end: claim, finish",
    budget: 2,
    measure: (scene) => scene.count(() => tick(scene)),
  },
  {
    name: "tick with nothing due",
    budget: 1,
    measure: (scene) => scene.count(() => tick(scene)),
  },
  {
    name: "each step boundary",
    budget: 1,
    async measure(scene) {
      const run = async (id: string, count: number): Promise<number> => {
        await scene.engine.workflows.STEPS.create({ id, params: { count } });
        return scene.count(() => tick(scene));
      };
      const few = await run("few", 3);
      return ((await run("many", 13)) - few) / 10;
    },
  },
  {
    name: "a 3-step workflow: created, run by a tick elsewhere, finished",
    budget: 5,
    measure: (scene) =>
      scene.count(async () => {
        await scene.engine.workflows.STEPS.create({ id: "three", params: { count: 3 } });
        const elsewhere = createEngine({ workflows, topics, store: scene.wired.store });
        expect(await elsewhere.tick()).toMatchObject({ processed: 1, steps: 3 });
      }),
  },
  {
    name: "the same, created and run by one process with a loop",
    budget: 4,
    measure: (scene) =>
      withIdleLoop(scene, (engine) =>
        scene.count(async () => {
          await engine.workflows.STEPS.create({ id: "here", params: { count: 3 } });
          await scene.completed("steps", "here");
        }),
      ),
  },
  {
    name: "an event sent by a process with a loop, to the end of its run",
    budget: 2,
    async measure(scene) {
      await scene.engine.workflows.WAITING.create({ id: "heard" });
      await tick(scene);
      return withIdleLoop(scene, (engine) =>
        scene.count(async () => {
          await engine.sendEvent("waiting", "heard", { type: "go" });
          await scene.completed("waiting", "heard");
        }),
      );
    },
  },
  {
    name: "a child that does nothing, invoked by a process with a loop: a park, its end, a claim",
    budget: 3,
    measure: (scene) =>
      withIdleLoop(scene, async (engine) => {
        const trips = await scene.count(async () => {
          await engine.workflows.PARENT.create({ id: "parent" });
          await scene.completed("parent", "parent");
        });
        return trips - CREATE_AND_FINISH;
      }),
  },
  {
    name: "result of a run that this process ends",
    budget: 0,
    measure: (scene) =>
      withIdleLoop(scene, async (engine) => {
        const trips = await scene.count(async () => {
          expect(await engine.workflows.CHILD.execute({ id: "told" })).toBe("grown");
        });
        return trips - CREATE_AND_FINISH;
      }),
  },
  {
    name: "emit to a topic that nobody waits for",
    budget: 1,
    measure: (scene) => scene.count(() => scene.engine.emit(news, 1)),
  },
  {
    name: "emit to 700 runs that wait: one, and one for each 500",
    budget: 3,
    async measure(scene) {
      const ids = range(700).map((index) => ({ id: `n-${index}` }));
      for (let from = 0; from < ids.length; from += 100)
        await scene.engine.workflows.LISTENING.createBatch(ids.slice(from, from + 100));
      const drain = async (): Promise<void> => {
        while ((await scene.engine.tick()).processed > 0);
      };
      await drain();
      const trips = await scene.count(() => scene.engine.emit(news, 1));
      await drain();
      return trips;
    },
  },
  {
    name: "a topic's message taken by a parked run, to its end: claim, finish",
    budget: 2,
    async measure(scene) {
      await scene.engine.workflows.LISTENING.create({ id: "one" });
      await tick(scene);
      await scene.engine.emit(news, 1);
      return scene.count(() => tick(scene));
    },
  },
  {
    name: "50 parallel steps: claim, finish",
    budget: 2,
    async measure(scene) {
      await scene.engine.workflows.FAN.create({ id: "fan" });
      return scene.count(() => tick(scene));
    },
  },
  scopesOf("join of 3", {
    name: "a join of 3 branches of 3 steps: claim, 2 boundaries, finish",
    budget: 4,
  }),
  scopesOf("map of 100", { name: "a map of 100 items of 3 steps: the same", budget: 4 }),
  scopesOf("race and try", {
    name: "a race of 3 steps and a sleep, within a try: the same, and one for the sleep",
    budget: 5,
  }),
  scopesOf("loop", {
    name: "a loop of 10 iterations of a step: claim, 9 boundaries, finish; old rows go with them",
    budget: 11,
  }),
  scopesOf("versions", {
    name: "3 steps, 2 versions and a removed step: claim, 2 boundaries, finish, as without",
    budget: 4,
  }),
  scopesOf("rollback", {
    name: "3 steps and their rollback: claim, 5 boundaries, finish",
    budget: 7,
    ends: "errored",
  }),
  scopesOf("progress", {
    name: "3 steps, 4 entries between them and 20 of each body: claim, 2 boundaries, finish, as without",
    budget: 4,
  }),
  {
    name: "a page of 64 entries of progress",
    budget: 1,
    async measure(scene) {
      const read = (): Promise<unknown> => scene.engine.readProgress("scopes", "progress");
      expect(await read()).toMatchObject({ ended: true, cursor: 64 });
      return scene.count(read);
    },
  },
  {
    name: "a stream of an instance that has ended: a page",
    budget: 1,
    async measure(scene) {
      const instance = await scene.engine.workflows.SCOPES.get("progress");
      const seen: unknown[] = [];
      const trips = await scene.count(async () => {
        for await (const { value } of instance.stream()) seen.push(value);
      });
      expect(seen).toHaveLength(64);
      return trips;
    },
  },
  {
    name: `${N} completed steps replayed, to the end: claim, finish`,
    budget: 2,
    async measure(scene) {
      const long = createEngine({ workflows, topics, store: scene.wired.uncounted });
      await long.workflows.STEPS.create({ id: "long", params: { count: N, waits: true } });
      await long.tick();
      await long.sendEvent("steps", "long", { type: "more" });
      const trips = await scene.count(() => tick(scene));
      const { details } = await long.getInstance("steps", "long");
      expect(details).toMatchObject({ status: "complete", output: (N * (N - 1)) / 2 });
      return trips;
    },
  },
];

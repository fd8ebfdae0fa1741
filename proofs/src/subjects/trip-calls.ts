/** Operations of docs/trips.md that callers ask for: instances that they create, control and read. */
import { expect } from "vitest";
import { range } from "./trip-workflows.ts";
import { type Operation, tick } from "./trip-operation.ts";

/** In this order: some go on with what others have left. */
export const CALLS: readonly Operation[] = [
  {
    name: "create",
    budget: 1,
    measure: ({ engine, count }) => count(() => engine.workflows.WAITING.create({ id: "a" })),
  },
  {
    name: "createBatch of 100",
    budget: 1,
    measure: ({ engine, count }) =>
      count(() =>
        engine.workflows.WAITING.createBatch(range(100).map((index) => ({ id: `b-${index}` }))),
      ),
  },
  {
    name: "claim of 101 due instances with all they need",
    budget: 1,
    async measure({ wired, count }) {
      let claimed = 0;
      const request = {
        token: "proof",
        limit: 200,
        leaseMs: 3_600_000,
        workflowNames: ["waiting"],
      };
      const trips = await count(async () => {
        const { runs } = await wired.store.claim(request);
        claimed = runs.length;
      });
      expect(claimed).toBe(101);
      return trips;
    },
  },
  ...(["pause", "resume", "cancel", "restart", "terminate"] as const).map((command): Operation => ({
    name: command,
    budget: 1,
    measure: ({ engine, count }) => count(() => engine.control("waiting", "a", command)),
  })),
  {
    name: "restartOrCreate, of one that exists",
    budget: 1,
    measure: async ({ engine, count }) => {
      const { WAITING } = engine.workflows;
      await WAITING.create({ id: "again" });
      const trips = await count(() => WAITING.restartOrCreate({ id: "again" }));
      await engine.control("waiting", "again", "terminate");
      return trips;
    },
  },
  {
    name: "update of deadline, tags and memo",
    budget: 1,
    async measure({ engine, count }) {
      const instance = await engine.workflows.WAITING.create({ id: "said", deadline: "1 day" });
      const trips = await count(() =>
        instance.update({ deadline: "1 hour", tags: ["t"], memo: { n: 1 } }),
      );
      await engine.control("waiting", "said", "terminate");
      return trips;
    },
  },
  {
    name: "delete of one that has ended",
    budget: 1,
    async measure({ engine, count }) {
      const instance = await engine.workflows.WAITING.create({ id: "gone" });
      await instance.terminate();
      return count(() => instance.delete());
    },
  },
  {
    name: "rewind",
    budget: 1,
    async measure(scene) {
      const { FAILING } = scene.engine.workflows;
      const instance = await FAILING.create({ id: "back" });
      await tick(scene);
      const [first] = (await scene.engine.listHistory("failing", "back", {})).steps;
      const trips = await scene.count(() => instance.rewind(first?.stepKey ?? ""));
      await tick(scene);
      return trips;
    },
  },
  {
    name: "fork",
    budget: 1,
    async measure(scene) {
      const { FAILING } = scene.engine.workflows;
      const instance = await FAILING.create({ id: "source" });
      await tick(scene);
      const [first] = (await scene.engine.listHistory("failing", "source", {})).steps;
      const trips = await scene.count(() => instance.fork(first?.stepKey ?? "", { id: "copy" }));
      await tick(scene);
      return trips;
    },
  },
  {
    name: "retry",
    budget: 1,
    async measure(scene) {
      await scene.engine.workflows.FAILING.create({ id: "f" });
      await tick(scene);
      const trips = await scene.count(() => scene.engine.control("failing", "f", "retry"));
      await tick(scene);
      return trips;
    },
  },
  {
    name: "send an event",
    budget: 1,
    async measure(scene) {
      await scene.engine.workflows.WAITING.create({ id: "e" });
      await tick(scene);
      return scene.count(() => scene.engine.sendEvent("waiting", "e", { type: "go", payload: 1 }));
    },
  },
  {
    name: "status of an instance",
    budget: 1,
    measure: ({ engine, count }) => count(() => engine.getInstance("waiting", "e")),
  },
  {
    name: "a page of instances",
    budget: 1,
    measure: ({ engine, count }) => count(() => engine.listInstances("waiting", {})),
  },
  {
    name: "a page of history (the instance, then its page)",
    budget: 2,
    measure: ({ engine, count }) => count(() => engine.listHistory("waiting", "e", {})),
  },
];

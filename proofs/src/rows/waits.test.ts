/** Waits and retries outlive the process that began them: each goes on in another, on each store with a clock of the test's. */
import { defineWorkflow, type WorkflowDefinition } from "@escapement/engine";
import { describe, expect, it } from "vitest";
import { createGate, type Runner, type Scene, SCENE_KINDS, withScene } from "../subjects/scene.ts";

const DAY_MS = 86_400_000;

type AnyRunner = Runner<{ readonly W: WorkflowDefinition }>;

const statusOf = async ({ engine }: AnyRunner): Promise<string> =>
  (await engine.getInstance("w", "x")).details.status;

/** Creates `x`, ticks it in one process, and gives another process, which has never seen it. */
async function beginAndLeave(scene: Scene, W: WorkflowDefinition): Promise<AnyRunner> {
  const first = await scene.runner({ W });
  await first.engine.createInstance("w", { id: "x" });
  await first.engine.tick();
  expect(await statusOf(first)).toBe("waiting");
  await first.store.close();
  return scene.runner({ W });
}

const WAITS: readonly (readonly [string, (scene: Scene) => Promise<WorkflowDefinition>])[] = [
  [
    "a sleep",
    async () => defineWorkflow({ name: "w" }, (_event, step) => step.sleep("nap", "1 day")),
  ],
  [
    "a sleep until a Date",
    async (scene) => {
      const until = new Date((await scene.databaseNow()) + DAY_MS);
      return defineWorkflow({ name: "w" }, (_event, step) => step.sleepUntil("nap", until));
    },
  ],
  [
    "a sleep until a number",
    async (scene) => {
      const until = (await scene.databaseNow()) + DAY_MS;
      return defineWorkflow({ name: "w" }, (_event, step) => step.sleepUntil("nap", until));
    },
  ],
  [
    "a wait for an event that never comes",
    async () =>
      defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.waitForEvent("go", { type: "go", timeout: "1 day" }).catch(() => {});
      }),
  ],
];

describe.each(SCENE_KINDS)("waits on $name", (kind) => {
  it.each(WAITS)(
    "S0-003 S0-028 S0-029 S0-042 S3-050 S4-049 %s ends in another process, at its time and not before",
    (_title, make) =>
      withScene(kind, async (scene) => {
        const next = await beginAndLeave(scene, await make(scene));
        expect(await next.engine.tick()).toMatchObject({ processed: 0 });
        await scene.advance(DAY_MS - 1);
        expect(await next.engine.tick()).toMatchObject({ processed: 0 });
        await scene.advance(2);
        await next.engine.tick();
        expect(await statusOf(next)).toBe("complete");
      }),
  );

  it.each([
    ["the longer first", ["2 hours", "1 hour"]],
    ["the shorter first", ["1 hour", "2 hours"]],
  ] as const)(
    "S0-101 a run that waits for several things comes due at the earliest: %s",
    (_title, naps) =>
      withScene(kind, async (scene) => {
        const woke: string[] = [];
        const W = defineWorkflow({ name: "w" }, async (_event, step) => {
          await Promise.all(naps.map((nap) => step.sleep(nap, nap).then(() => woke.push(nap))));
        });
        const next = await beginAndLeave(scene, W);
        await scene.advance(3_600_001);
        await next.engine.tick();
        expect([woke, await statusOf(next)]).toEqual([["1 hour"], "waiting"]);
        await scene.advance(3_600_001);
        await next.engine.tick();
        expect(await statusOf(next)).toBe("complete");
      }),
  );

  it("S1-003 S0-003 S4-050 a wait of seven days takes its event in another process and gives its payload", () =>
    withScene(kind, async (scene) => {
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        const message = await step.waitForEvent("approval", {
          type: "approval",
          timeout: "7 days",
        });
        return message.payload;
      });
      const next = await beginAndLeave(scene, W);
      await scene.advance(7 * DAY_MS - 1);
      await next.engine.sendEvent("w", "x", { type: "approval", payload: { by: "me" } });
      await next.engine.tick();
      expect((await next.engine.getInstance("w", "x")).details).toMatchObject({
        status: "complete",
        output: { by: "me" },
      });
    }));

  it("S0-110 a retry is kept by the database: the process that failed is gone, another one tries again at its time", () =>
    withScene(kind, async (scene) => {
      const startedAt: number[] = [];
      const W = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do("try", { retries: { limit: 1, delay: "1 hour" } }, async () => {
          startedAt.push(await scene.databaseNow());
          if (startedAt.length === 1) throw new TypeError("once");
        }),
      );
      const next = await beginAndLeave(scene, W);
      await scene.advance(3_599_000);
      expect(await next.engine.tick()).toMatchObject({ processed: 0 });
      await scene.advance(2000);
      await next.engine.tick();
      expect(await statusOf(next)).toBe("complete");
      expect(startedAt).toHaveLength(2);
      expect((startedAt[1] ?? 0) - (startedAt[0] ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    }));

  it("S0-107 branches of Promise.all run side by side, and a process that dies between their ends repeats only those that were not kept", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const ran: string[] = [];
      const W = defineWorkflow({ name: "w" }, (_event, step) =>
        Promise.all(
          ["a", "b", "c"].map((name) =>
            step.do(name, { retries: { limit: 2, delay: 0 } }, async () => {
              ran.push(name);
              // Ends only once all three have begun; the last one never does in the process that dies.
              if (ran.length === 3) await gate.pass();
              return name;
            }),
          ),
        ),
      );
      const first = await scene.runner({ W });
      await first.engine.createInstance("w", { id: "x" });
      const dying = first.engine.tick().catch(() => null);
      await gate.reached;
      expect(new Set(ran)).toEqual(new Set(["a", "b", "c"]));
      await first.store.close();
      await scene.advance(DAY_MS);
      const next = await scene.runner({ W });
      for (let count = 0; count < 5 && (await statusOf(next)) !== "complete"; count += 1) {
        await next.engine.tick();
        await scene.advance(60_000);
      }
      const { details } = await next.engine.getInstance("w", "x");
      expect(details).toMatchObject({ status: "complete", output: ["a", "b", "c"] });
      expect(ran.filter((name) => name === "c")).toHaveLength(2);
      gate.open();
      await dying;
    }));

  it("S2-043 S2-008 an event after the deadline does not complete the wait, whenever it is looked at; the event stays", () =>
    withScene(kind, async (scene) => {
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.waitForEvent("go", { type: "go", timeout: "1 hour" });
      });
      const next = await beginAndLeave(scene, W);
      await scene.advance(3_600_001);
      await next.engine.sendEvent("w", "x", { type: "go" });
      await next.engine.tick();
      expect((await next.engine.getInstance("w", "x")).details).toMatchObject({
        status: "errored",
      });
      const { steps, events } = await next.engine.listHistory("w", "x", {});
      expect(steps).toMatchObject([{ name: "go", status: "errored" }]);
      expect(events).toMatchObject([{ deliveredAt: null, consumedByStepKey: null }]);
    }));

  it("S2-044 S2-003 an event before the deadline completes the wait, though it is looked at only after it", () =>
    withScene(kind, async (scene) => {
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        const { payload } = await step.waitForEvent("go", { type: "go", timeout: "1 hour" });
        return payload;
      });
      const next = await beginAndLeave(scene, W);
      await scene.advance(3_599_999);
      await next.engine.sendEvent("w", "x", { type: "go", payload: "in time" });
      await scene.advance(DAY_MS);
      await next.engine.tick();
      expect((await next.engine.getInstance("w", "x")).details).toMatchObject({
        status: "complete",
        output: "in time",
      });
    }));
});

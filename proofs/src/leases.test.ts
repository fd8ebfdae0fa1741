/** One live runner per run: leases, heartbeats, takeovers and restarts, on each store with a clock of the test's. */
import { defineWorkflow } from "@escapement/engine";
import { describe, expect, it } from "vitest";
import { createFaultStore } from "../../packages/engine/src/testing/fault-store.ts";
import { createGate, LEASE_MS, SCENE_KINDS, withScene } from "./subjects/scene.ts";

describe.each(SCENE_KINDS)("leases on $name", (kind) => {
  it("S0-088 S0-090 S0-094 S4-027 a stale runner writes nothing after another took over", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const ran: string[] = [];
      const workflowOf = (who: string) =>
        defineWorkflow({ name: "w" }, async (_event, step) => {
          const first = await step.do("first", async () => {
            ran.push(`first by ${who}`);
            if (who === "stale") await gate.pass();
            return who;
          });
          const second = await step.do("second", () => {
            ran.push(`second by ${who}`);
            return who;
          });
          return [first, second];
        });
      // Its timers never fire, as in a process that stands still: no heartbeat.
      const stale = await scene.runner({ W: workflowOf("stale") });
      await stale.engine.workflows.W.create({ id: "x" });
      const staleTick = stale.engine.tick();
      await gate.reached;
      const fresh = await scene.runner({ W: workflowOf("fresh") });
      expect(await fresh.engine.tick(), "the lease still holds").toMatchObject({ processed: 0 });
      await scene.advanceDatabase(LEASE_MS + 1);
      expect(await fresh.engine.tick()).toMatchObject({ processed: 1 });
      const before = await fresh.engine.listHistory("w", "x", {});
      gate.open();
      await staleTick;
      expect(ran).toEqual(["first by stale", "first by fresh", "second by fresh"]);
      expect(await fresh.engine.listHistory("w", "x", {})).toEqual(before);
      expect(before.steps[0]).toMatchObject({ result: "fresh", attempts: 1, lostAttempts: 0 });
      const { details } = await fresh.engine.getInstance("w", "x");
      expect(details).toMatchObject({ status: "complete", output: ["fresh", "fresh"] });
    }));

  it("S0-093 a heartbeat keeps the lease of a body that outlasts it three times", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      let runs = 0;
      const long = defineWorkflow({ name: "long" }, (_event, step) =>
        step.do("body", { timeout: "1 hour", retries: { limit: 3, delay: 1 } }, async () => {
          runs += 1;
          await gate.pass();
          return "done";
        }),
      );
      const runner = await scene.runner({ LONG: long });
      const other = await scene.runner({ LONG: long });
      await runner.engine.workflows.LONG.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      for (let part = 0; part < 9; part += 1) {
        await scene.advance(LEASE_MS / 3 + 1);
        await expect.poll(() => isHeld(runner.engine.tick)).toBe(true);
        expect(await other.engine.tick()).toMatchObject({ processed: 0 });
      }
      gate.open();
      await tick;
      const { details } = await other.engine.getInstance("long", "x");
      expect(details).toMatchObject({ status: "complete", output: "done" });
      expect(runs).toBe(1);
    }));

  it("S2-021 the heartbeat stops after a failed renewal, and the body is told to abort", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      let aborted = false;
      const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do("body", async ({ signal }) => {
          signal.addEventListener("abort", () => void (aborted = true));
          await gate.pass();
        }),
      );
      let commits = 0;
      const runner = await scene.runner(
        { W: workflow },
        {
          wrapStore: (store) => ({
            ...store,
            commit: (items) => {
              commits += 1;
              return store.commit(items);
            },
          }),
        },
      );
      await runner.engine.workflows.W.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      // Terminating takes the task away, so that the next renewal finds no lease.
      await runner.engine.control("w", "x", "terminate");
      await scene.advance(LEASE_MS / 3 + 1);
      await tick;
      expect(aborted).toBe(true);
      expect(commits, "the renewal that failed").toBe(1);
      for (let part = 0; part < 6; part += 1) await scene.advance(LEASE_MS);
      gate.open();
      await scene.advance(1);
      expect(commits, "none after it").toBe(1);
    }));

  it("S0-095 S0-125 restart while a body runs: its result never reaches the new run", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const keys: string[] = [];
      const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do("body", async ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (keys.length === 1) {
            await gate.pass();
            return "old";
          }
          return "new";
        }),
      );
      const runner = await scene.runner({ W: workflow });
      await runner.engine.workflows.W.create({ id: "x" });
      const oldTick = runner.engine.tick({ maxInstances: 1 });
      await gate.reached;
      // From another process, so that the tick that is under way does not hear of it.
      const other = await scene.runner({ W: workflow });
      const view = await other.engine.control("w", "x", "restart");
      expect(view.details).toEqual({ status: "queued", runNumber: 2 });
      gate.open();
      await oldTick;
      expect((await runner.engine.getInstance("w", "x")).details).toMatchObject({
        status: "queued",
        runNumber: 2,
      });
      await runner.engine.tick();
      const { details } = await runner.engine.getInstance("w", "x");
      expect(details).toEqual({ status: "complete", runNumber: 2, output: "new" });
      expect((await runner.engine.listHistory("w", "x", { runNumber: 1 })).steps).toEqual([]);
      // A restart keeps the keys: services that deduplicate answer as they did.
      expect(keys).toEqual(["w/x/1/body", "w/x/1/body"]);
    }));

  it("S0-094 terminate while a body runs: its result is not kept, and nothing after it starts", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const ran: string[] = [];
      const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.do("first", async () => {
          ran.push("first");
          await gate.pass();
        });
        await step.do("second", () => void ran.push("second"));
      });
      const runner = await scene.runner({ W: workflow });
      await runner.engine.workflows.W.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      await runner.engine.control("w", "x", "terminate");
      gate.open();
      await tick;
      await scene.advance(LEASE_MS * 2);
      expect(await runner.engine.tick()).toMatchObject({
        processed: 0,
        nextWakeInMs: null,
        nextWakeAt: null,
        quietMs: null,
      });
      expect((await runner.engine.getInstance("w", "x")).details.status).toBe("terminated");
      expect(ran).toEqual(["first"]);
    }));

  it("S0-115 a result that arrives after its timeout is not kept", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do(
          "body",
          { timeout: "1 second", retries: { limit: 1, delay: "5 seconds" } },
          async ({ attempt }) => {
            if (attempt === 1) {
              await gate.pass();
              return "late";
            }
            return "in time";
          },
        ),
      );
      const runner = await scene.runner({ W: workflow });
      await runner.engine.workflows.W.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      await scene.advance(1001);
      await tick;
      gate.open();
      await scene.advance(1);
      const { steps } = await runner.engine.listHistory("w", "x", {});
      expect(steps[0]).toMatchObject({
        status: "waiting",
        error: { name: "StepTimeout" },
      });
      await scene.advance(5000);
      await runner.engine.tick();
      expect((await runner.engine.getInstance("w", "x")).details).toMatchObject({
        output: "in time",
      });
    }));

  it("S0-089 S0-090 a runner whose process froze in the middle of a commit changes nothing when it thaws", () =>
    withScene(kind, async (scene) => {
      const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
        const one = await step.do("one", () => 1);
        return one + (await step.do("two", () => 2));
      });
      const frozen = await scene.runner(
        { W: workflow },
        {
          wrapStore: (store) =>
            createFaultStore(store, ({ verb }) => (verb === "commit" ? "hang" : "none")),
        },
      );
      await frozen.engine.workflows.W.create({ id: "x" });
      void frozen.engine.tick();
      const fresh = await scene.runner({ W: workflow });
      await expect
        .poll(async () => (await fresh.engine.getInstance("w", "x")).details.status)
        .toBe("running");
      await scene.advanceDatabase(LEASE_MS + 1);
      await fresh.engine.tick();
      expect((await fresh.engine.getInstance("w", "x")).details).toMatchObject({
        status: "complete",
        output: 3,
      });
    }));
});

/** Whether nothing comes due before the next third of a lease. */
async function isHeld(
  tick: () => Promise<{ readonly nextWakeInMs: number | null }>,
): Promise<boolean> {
  const { nextWakeInMs } = await tick();
  return nextWakeInMs === null || nextWakeInMs > LEASE_MS / 3;
}

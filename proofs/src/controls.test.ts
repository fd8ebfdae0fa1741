/** Pause, resume and time: what takes effect when, on real databases with a clock of the test's. */
import { defineWorkflow } from "@escapement/engine";
import { describe, expect, it } from "vitest";
import { createGate, REAL_DATABASES, withScene } from "./subjects/scene.ts";
import type { SubjectKind } from "./subjects/test-database.ts";

const HOUR_MS = 3_600_000;

describe.each<SubjectKind>([...REAL_DATABASES])("pause and time on $name", (kind) => {
  it("S0-051 S0-052 S0-116 S0-120 a pause while a body runs takes effect at the boundary: the next body is neither started nor counted", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const ran: string[] = [];
      const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.do("first", async () => {
          ran.push("first");
          await gate.pass();
        });
        await step.do("second", () => void ran.push("second"));
        return "end";
      });
      const runner = await scene.runner({ W: workflow });
      await runner.engine.workflows.W.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      const other = await scene.runner({ W: workflow });
      const asked = await other.engine.control("w", "x", "pause");
      expect(asked.details.status).toBe("waitingForPause");
      gate.open();
      await tick;
      expect(ran).toEqual(["first"]);
      expect((await other.engine.getInstance("w", "x")).details.status).toBe("paused");
      const { steps } = await other.engine.listHistory("w", "x", {});
      const counted = steps.filter((step) => step.attempts > 0);
      expect(counted.map(({ stepKey, status, attempts }) => [stepKey, status, attempts])).toEqual([
        ["first", "completed", 1],
      ]);
      await scene.advance(HOUR_MS);
      expect(await other.engine.tick(), "a paused instance does not advance").toMatchObject({
        processed: 0,
      });
      await other.engine.control("w", "x", "resume");
      await other.engine.tick();
      expect((await other.engine.getInstance("w", "x")).details).toMatchObject({
        status: "complete",
        output: "end",
      });
      expect(ran).toEqual(["first", "second"]);
      const after = await other.engine.listHistory("w", "x", {});
      expect(after.steps.map((step) => [step.attempts, step.lostAttempts])).toEqual([
        [1, 0],
        [1, 0],
      ]);
    }));

  it("S0-051 S0-120 a pause while the last body runs does not keep the run from ending", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do("only", async () => {
          await gate.pass();
          return "done";
        }),
      );
      const runner = await scene.runner({ W: workflow });
      await runner.engine.workflows.W.create({ id: "x" });
      const tick = runner.engine.tick();
      await gate.reached;
      await runner.engine.control("w", "x", "pause");
      gate.open();
      await tick;
      expect((await runner.engine.getInstance("w", "x")).details).toMatchObject({
        status: "complete",
        output: "done",
      });
    }));

  it("S0-052 S0-126 a pause does not stop the clock: a sleep and an event's timeout that pass meanwhile are over on resume, not before", () =>
    withScene(kind, async (scene) => {
      const sleeper = defineWorkflow({ name: "sleeper" }, async (_event, step) => {
        await step.sleep("nap", "1 hour");
        return "awake";
      });
      const waiter = defineWorkflow({ name: "waiter" }, async (_event, step) =>
        (await step.tryWaitForEvent("go", { type: "go", timeout: "1 hour" })) === null
          ? "timed out"
          : "got it",
      );
      const { engine } = await scene.runner({ SLEEPER: sleeper, WAITER: waiter });
      await engine.workflows.SLEEPER.create({ id: "x" });
      await engine.workflows.WAITER.create({ id: "x" });
      await engine.tick();
      for (const name of ["sleeper", "waiter"]) await engine.control(name, "x", "pause");
      await scene.advance(HOUR_MS + 1);
      expect(await engine.tick()).toMatchObject({
        processed: 0,
        nextWakeInMs: null,
        nextWakeAt: null,
        quietMs: null,
      });
      for (const name of ["sleeper", "waiter"]) {
        expect((await engine.getInstance(name, "x")).details.status).toBe("paused");
        await engine.control(name, "x", "resume");
      }
      await engine.tick();
      expect((await engine.getInstance("sleeper", "x")).details.output).toBe("awake");
      expect((await engine.getInstance("waiter", "x")).details.output).toBe("timed out");
    }));

  it("S2-009 S2-033 S2-045 two runners whose process clocks are an hour wrong keep the database's time for retries and sleeps", () =>
    withScene(kind, async (scene) => {
      const at: number[] = [];
      const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.do(
          "flaky",
          { retries: { limit: 3, delay: "10 seconds", backoff: "constant" } },
          async () => {
            at.push(await scene.databaseNow());
            if (at.length < 3) throw new TypeError("not yet");
          },
        );
        await step.sleep("nap", "1 minute");
        return "done";
      });
      const fast = await scene.runner({ W: workflow }, { skewMs: HOUR_MS });
      const slow = await scene.runner({ W: workflow }, { skewMs: -HOUR_MS });
      const start = await scene.databaseNow();
      await slow.engine.workflows.W.create({ id: "x" });
      await fast.engine.tick();
      const nextDue = async (): Promise<number> => {
        const outputs = [await slow.engine.tick(), await fast.engine.tick()];
        expect(
          outputs.map((output) => output.processed),
          "nobody is early",
        ).toEqual([0, 0]);
        expect(outputs[0]?.nextWakeInMs).toBe(outputs[1]?.nextWakeInMs);
        return (await scene.databaseNow()) + (outputs[0]?.nextWakeInMs ?? Number.NaN);
      };
      expect(await nextDue()).toBe(start + 10_000);
      await scene.advance(9999);
      expect(await nextDue()).toBe(start + 10_000);
      await scene.advance(1);
      await slow.engine.tick();
      expect(await nextDue()).toBe(start + 20_000);
      await scene.advance(10_000);
      await fast.engine.tick();
      expect(at).toEqual([start, start + 10_000, start + 20_000]);
      expect(await nextDue()).toBe(start + 80_000);
      await scene.advance(60_000);
      await slow.engine.tick();
      expect((await slow.engine.getInstance("w", "x")).details.status).toBe("complete");
    }));

  it("S2-005 S2-040 creating a batch answers without waiting for any body", () =>
    withScene(kind, async (scene) => {
      const gate = createGate();
      const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
        step.do("body", () => gate.pass()),
      );
      const { engine } = await scene.runner({ W: workflow });
      const loop = engine.startLoop();
      // The bodies never end by themselves: if the answer waited for one, it would never come.
      const created = await engine.workflows.W.createBatch(
        Array.from({ length: 100 }, (_item, index) => ({ id: `i-${index}` })),
      );
      expect(created).toHaveLength(100);
      await gate.reached;
      gate.open();
      const leftOver = async (): Promise<number> => {
        const pages = await Promise.all(
          (["queued", "running"] as const).map((status) => engine.listInstances("w", { status })),
        );
        return pages.flatMap((page) => page.instances).length;
      };
      await expect.poll(leftOver, { timeout: 60_000 }).toBe(0);
      await loop.stop();
    }));
});

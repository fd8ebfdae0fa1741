import { describe, expect, it } from "vitest";
import { defineWorkflow, NonRetryableError, WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

describe("step.do", () => {
  it("S0-002 S0-032 S0-105 S3-018 S4-036 a completed body never runs again on replay", async () => {
    const ran: string[] = [];
    const three = defineWorkflow({ name: "three" }, async (_event, step) => {
      const a = await step.do("a", () => {
        ran.push("a");
        return 1;
      });
      await step.sleep("nap", "1 hour");
      const b = await step.do("b", () => {
        ran.push("b");
        return a + 1;
      });
      return { a, b };
    });
    const harness = createHarness({ workflows: { THREE: three } });
    await harness.workflows.THREE.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("three", "x")).toMatchObject({ status: "waiting" });
    await harness.clock.advance(3_600_000);
    await harness.runUntilIdle();
    expect(await harness.status("three", "x")).toEqual({
      status: "complete",
      runNumber: 1,
      output: { a: 1, b: 2 },
    });
    expect(ran).toEqual(["a", "b"]);
  });

  it("S0-034 S0-109 S0-110 S0-111 S0-112 S3-029 S3-030 S4-040 a failing step is retried by the default policy: 5 retries, 10 s, exponential", async () => {
    const at: number[] = [];
    const failing = defineWorkflow({ name: "failing" }, (_event, step) =>
      step.do("boom", () => {
        at.push(harness.clock.now());
        throw new TypeError("no");
      }),
    );
    const harness = createHarness({ workflows: { F: failing } });
    await harness.workflows.F.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("failing", "x")).toMatchObject({ status: "waiting" });
    const { steps } = await harness.history("failing", "x");
    expect(steps[0]).toMatchObject({
      status: "waiting",
      attempts: 1,
      error: { name: "TypeError", message: "no" },
    });
    expect(steps[0]?.nextRetryAt).toBe(harness.clock.now() + 10_000);
    await harness.runThroughTime();
    expect(at.map((instant, index) => instant - (at[index - 1] ?? instant))).toEqual([
      0, 10_000, 20_000, 40_000, 80_000, 160_000,
    ]);
    expect(await harness.status("failing", "x")).toMatchObject({
      status: "errored",
      error: { name: "TypeError", message: "no" },
    });
  });

  it("S0-033 S3-031 S4-040 NonRetryableError fails the instance without a retry", async () => {
    let runs = 0;
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("boom", () => {
        runs += 1;
        throw new NonRetryableError("never", "CardDeclined");
      }),
    );
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(runs).toBe(1);
    expect(await harness.status("w", "x")).toMatchObject({
      status: "errored",
      error: { name: "CardDeclined", message: "never" },
    });
  });

  it("a caught step failure lets the workflow go on, and replays as the same error", async () => {
    const seen: unknown[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      try {
        await step.do("boom", { retries: { limit: 0, delay: 0 } }, () => {
          throw new RangeError("bad");
        });
      } catch (error) {
        seen.push(WorkflowError.is(error) ? [error.code, error.name, error.message] : error);
      }
      await step.sleep("nap", 1000);
      return "saved";
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "saved" });
    expect(seen).toEqual([
      ["STEP_FAILED", "RangeError", "bad"],
      ["STEP_FAILED", "RangeError", "bad"],
    ]);
  });

  it("S0-026 S0-113 S0-115 an attempt that times out counts as failed and its late result is dropped", async () => {
    const release: ((value: string) => void)[] = [];
    const aborted: boolean[] = [];
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do(
        "slow",
        { timeout: "1 minute", retries: { limit: 1, delay: 1000 } },
        async ({ signal, attempt }) => {
          if (attempt === 2) return "second";
          signal.addEventListener("abort", () => aborted.push(true));
          return new Promise<string>((resolve) => release.push(resolve));
        },
      ),
    );
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    for (let turn = 0; turn < 5; turn += 1) await harness.clock.advance(15_000);
    await ticking;
    expect(aborted).toEqual([true]);
    release[0]?.("late");
    expect((await harness.history("w", "x")).steps[0]).toMatchObject({
      status: "waiting",
      attempts: 1,
      error: { name: "StepTimeout" },
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "second" });
  });
});

describe("parallel steps", () => {
  it("S0-107 Promise.all over distinct names runs each once, in one boundary", async () => {
    let runs = 0;
    const w = defineWorkflow(
      { name: "w" },
      async (_event, step) =>
        (
          await Promise.all(
            Array.from({ length: 50 }, (_, k) =>
              step.do(`s${k}`, async () => {
                runs += 1;
                return k;
              }),
            ),
          )
        ).length,
    );
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(runs).toBe(50);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 50 });
  });

  it("S0-108 concurrent calls with the same step name throw STEP_KEY_DUPLICATE", async () => {
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      Promise.all([step.do("same", () => 1), step.do("same", () => 2)]),
    );
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "errored",
      error: { message: expect.stringContaining("same") },
    });
  });

  it("S0-103 S0-104 S5-006 with repeatedNames `cached` the same name again in sequence is the same step; names are trimmed", async () => {
    let runs = 0;
    const w = defineWorkflow({ name: "w", repeatedNames: "cached" }, async (_event, step) => {
      const first = await step.do("same", () => {
        runs += 1;
        return runs;
      });
      const second = await step.do(" same ", () => {
        runs += 1;
        return runs;
      });
      return [first, second];
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ output: [1, 1] });
    expect(runs).toBe(1);
  });
});

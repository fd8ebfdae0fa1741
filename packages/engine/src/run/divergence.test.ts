import { describe, expect, it } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** A workflow whose code is exchanged while an instance is in flight. */
function setupUpgrade(before: (step: WorkflowStep) => Promise<unknown>) {
  let code = before;
  const w = defineWorkflow({ name: "w" }, (_event, step) => code(step));
  const harness = createHarness({ workflows: { W: w } });
  const deploy = (after: (step: WorkflowStep) => Promise<unknown>): void => {
    code = after;
  };
  return { harness, deploy };
}

const before = async (step: WorkflowStep): Promise<string> => {
  await step.do("a", () => 1);
  await step.do("b", () => 2);
  await step.sleep("nap", 1000);
  return "before";
};

describe("S0-174 code that changes under an instance", () => {
  it("a new step between old ones runs; old results are kept", async () => {
    const { harness, deploy } = setupUpgrade(before);
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    deploy(async (step) => {
      const a = await step.do("a", () => "again");
      const c = await step.do("c", () => "new");
      const b = await step.do("b", () => "again");
      await step.sleep("nap", 1000);
      return [a, b, c];
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "complete",
      output: [1, 2, "new"],
    });
  });

  it("S3-052 a removed step is passed over, and named in a warning", async () => {
    const { harness, deploy } = setupUpgrade(before);
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    deploy(async (step) => {
      const b = await step.do("b", () => "again");
      await step.sleep("nap", 1000);
      return b;
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 2 });
    expect(harness.log).toContainEqual(
      expect.objectContaining({
        event: "history.diverged",
        fields: expect.objectContaining({
          stepKeys: ["a"],
          message: "the code no longer calls these steps of the history",
        }),
      }),
    );
  });

  it("S3-052 a step of another type fails the run and names both, whatever the author catches", async () => {
    const { harness, deploy } = setupUpgrade(before);
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    deploy(async (step) => {
      await step.sleep("a", 1000).catch(() => undefined);
    });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "errored",
      error: {
        message:
          'step "a" is sleep in the code but do in history; the code has changed, or what it does depends on chance or the time',
      },
    });
  });
});

describe("what a workflow must not do", () => {
  it("awaiting what is no step is reported by the harness", async () => {
    const w = defineWorkflow({ name: "w" }, () => new Promise(() => {}));
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    await harness.clock.advance(1000);
    expect(harness.log).toContainEqual(
      expect.objectContaining({ event: "workflow.await_outside_step" }),
    );
    for (let minute = 0; minute < 11; minute += 1) await harness.clock.advance(60_000);
    await ticking;
    expect(await harness.status("w", "x")).toMatchObject({
      status: "errored",
      error: { message: expect.stringContaining("step.do") },
    });
    await expect(harness.runUntilIdle()).rejects.toThrow("await_outside_step");
  });

  it("returning while a step is in flight aborts it, and history says so", async () => {
    const aborted: boolean[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      void step.do(
        "forgotten",
        ({ signal }) =>
          new Promise(() => signal.addEventListener("abort", () => aborted.push(true))),
      );
      return step.do("quick", () => "done");
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
    expect(aborted).toEqual([true]);
    const { steps } = await harness.history("w", "x");
    expect(steps.find(({ name }) => name === "forgotten")).toMatchObject({
      status: "errored",
      error: { name: "StepNotAwaited" },
    });
    expect(harness.log).toContainEqual(expect.objectContaining({ event: "step.not_awaited" }));
  });
});

/** A step whose code no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.doMock("./receive-step.ts", () => {
  throw new RangeError("no such file");
});

it("S6-014 is told to nobody, as a replay elsewhere would differ: the run is left, and a cancel that comes then finds its place", async () => {
  const told: unknown[] = [];
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("first", () => null);
    await step.receive("in", { types: ["go"] }).catch(({ code }: { code?: string }) => {
      told.push(code);
    });
    await step.shielded.do("note", () => null);
    await step.sleep("nap", "1 day");
  });
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
  expect(harness.log.map(({ event }) => event)).toContain("run.not_closed");
  await instance.cancel();
  await harness.runUntilIdle();
  expect(told).toEqual([]);

  vi.doUnmock("./receive-step.ts");
  await harness.clock.advance(60_000);
  await harness.runThroughTime(60_000);
  expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
  expect(told).toEqual(["CANCELLED"]);
  const { steps } = await harness.history("w", "x");
  expect(steps.map(({ stepKey, status }) => [stepKey, status])).toContainEqual([
    "note",
    "completed",
  ]);
});

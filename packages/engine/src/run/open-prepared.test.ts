/** A step whose code no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./receive-step.ts", () => {
  throw new RangeError("no such file");
});

it("S6-014 tells author code so, which may do without it: its place is left to nobody", async () => {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    const isThere = await step.receive("in", { types: ["go"] }).then(
      () => true,
      () => false,
    );
    await step.do("note", () => null);
    await step.sleep("nap", "1 day");
    return isThere;
  });
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
  await instance.cancel();
  await harness.runUntilIdle();
  const { steps } = await harness.history("w", "x");
  expect(steps.map(({ stepKey, status }) => [stepKey, status])).toEqual([
    ["note", "completed"],
    ["nap", "errored"],
  ]);
});

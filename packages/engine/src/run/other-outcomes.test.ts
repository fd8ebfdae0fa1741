/** Outcomes whose code no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./other-outcomes.ts", () => {
  throw new RangeError("no such file");
});

const W = defineWorkflow({ name: "w" }, async (_event, step) => {
  const plain = await step.do("plain", () => ({ a: [1, null, "x"] }));
  await step.sleep("nap", "1 minute");
  return plain;
});

it("S9-010 a run with plain results alone does without it", async () => {
  const harness = createHarness({ workflows: { W } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await harness.clock.advance(120_000);
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    status: "complete",
    output: { a: [1, null, "x"] },
  });
});

it.each([
  ["a body throws", () => Promise.reject(new RangeError("no"))],
  ["a body gives what JSON has no form for", () => new Map([["a", new Date(5)]])],
])("S9-010 a run is left for a process that has it when %s", async (_title, body) => {
  const Other = defineWorkflow({ name: "other" }, (_event, step) => step.do("other", body));
  const harness = createHarness({ workflows: { Other } });
  await harness.workflows.Other.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("other", "x")).toMatchObject({ status: "waiting" });
});

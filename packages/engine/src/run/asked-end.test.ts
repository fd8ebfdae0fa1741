/** A request to end whose code is not there any more, as after a deploy that took the file away. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./heed-end-request.ts", () => {
  throw new RangeError("no such file");
});

it("S6-020 a run that was cancelled fails where that cannot be loaded, and does not ask for it for ever", async () => {
  const W = defineWorkflow({ name: "w" }, (_event, step) => step.sleep("nap", "1 day"));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await instance.cancel();
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
});

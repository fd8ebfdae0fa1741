/** A request to end whose code no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./other-outcomes.ts", () => {
  throw new RangeError("no such file");
});

it("S6-020 a run that was cancelled is left to a process that has it, by the minute and aloud, where that cannot be loaded", async () => {
  const W = defineWorkflow({ name: "w" }, (_event, step) => step.sleep("nap", "1 day"));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await instance.cancel();
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
  expect(harness.log).toContainEqual(
    expect.objectContaining({ level: "error", event: "run.not_closed" }),
  );
  for (let minute = 0; minute < 3; minute += 1) {
    expect(await harness.engine.tick()).toMatchObject({ processed: 0 });
    await harness.clock.advance(60_000);
    expect(await harness.engine.tick()).toMatchObject({ processed: 1 });
  }
  vi.doUnmock("./other-outcomes.ts");
  await harness.clock.advance(60_000);
  await harness.engine.tick();
  expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
});

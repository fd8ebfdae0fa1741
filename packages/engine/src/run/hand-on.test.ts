/** Messages that are to be handed on, where the code for it is not there any more, as after a deploy that took the file away. */
import { expect, it, vi } from "vitest";
import { defineTopic, defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./deliver-topic.ts", () => {
  throw new RangeError("no such file");
});

it("messages are left to a process that can hand them on, by the lease and aloud", async () => {
  const placed = defineTopic({ name: "placed" });
  const waits = defineWorkflow({ name: "waits" }, async (_event, step) => {
    const { payload } = await step.waitForTopic("message", placed);
    return payload;
  });
  const emits = defineWorkflow({ name: "emits" }, (_event, step) => step.emit(placed, 1));
  const harness = createHarness({ workflows: { waits, emits }, topics: [placed] });
  const { workflows, engine, clock } = harness;
  await workflows.waits.create({ id: "x" });
  await harness.runUntilIdle();
  await workflows.emits.create({ id: "y" });
  await harness.runUntilIdle();
  expect(harness.log).toContainEqual(
    expect.objectContaining({ level: "error", event: "topic.undelivered" }),
  );
  await clock.advance(29_000);
  expect(await engine.tick()).toMatchObject({ processed: 0 });
  for (let lease = 0; lease < 20; lease += 1) {
    await clock.advance(60_000);
    await harness.runUntilIdle();
  }
  vi.doUnmock("./deliver-topic.ts");
  await clock.advance(600_000);
  await harness.runUntilIdle();
  expect(await harness.status("waits", "x")).toMatchObject({ status: "complete", output: 1 });
});

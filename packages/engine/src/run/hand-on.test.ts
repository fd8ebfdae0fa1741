/** Messages to deliver, when the code for that no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineTopic, defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./deliver-topic.ts", () => {
  throw new RangeError("no such file");
});

it("messages are left to a process that can hand them on, after a pause and aloud", async () => {
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
  // Another process may have the code, so this one does not try again and again.
  for (let minute = 0; minute < 3; minute += 1) {
    const ticking = engine.tick();
    await clock.advance(9000);
    expect(await Promise.race([ticking, clock.advance(0)])).toBeUndefined();
    await clock.advance(51_000);
    expect((await ticking).processed).toBeLessThan(5);
  }
  const undelivered = harness.log.filter(({ event }) => event === "topic.undelivered");
  expect(undelivered.map(({ level }) => level)).toContain("error");
  expect(undelivered.length).toBeLessThan(10);
  vi.doUnmock("./deliver-topic.ts");
  await clock.advance(60_000);
  await harness.runUntilIdle();
  expect(await harness.status("waits", "x")).toMatchObject({ status: "complete", output: 1 });
});

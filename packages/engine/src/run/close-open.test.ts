/** A run that leaves something open, when the code that closes it no longer exists, as after a deploy that removed the file. */
import { expect, it, vi } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

vi.mock("./other-outcomes.ts", () => {
  throw new RangeError("no such file");
});

it("a run that leaves something open is left to a process that can end it, by the minute and aloud; one that leaves nothing open ends", async () => {
  const leaving = defineWorkflow({ name: "leaving" }, async (_event, step) => {
    const left = step.do("left", () => new Promise<never>(() => {}));
    await Promise.race([step.sleep("long", "1 day"), left, step.do("short", () => "done")]);
  });
  const closed = defineWorkflow({ name: "closed" }, (_event, step) => step.do("short", () => 1));
  const harness = createHarness({ workflows: { leaving, closed } });
  await harness.workflows.leaving.create({ id: "x" });
  await harness.workflows.closed.create({ id: "y" });
  await harness.engine.tick();
  expect(await harness.status("leaving", "x")).toMatchObject({ status: "waiting" });
  expect(await harness.status("closed", "y")).toMatchObject({ status: "complete", output: 1 });
  expect(harness.log).toContainEqual(
    expect.objectContaining({ level: "error", event: "run.not_closed" }),
  );

  await harness.clock.advance(59_000);
  expect(await harness.engine.tick()).toMatchObject({ processed: 0 });
  for (let minute = 0; minute < 30; minute += 1) {
    await harness.clock.advance(60_000);
    expect(await harness.engine.tick()).toMatchObject({ processed: 1 });
  }
  vi.doUnmock("./other-outcomes.ts");
  await harness.clock.advance(60_000);
  await harness.engine.tick();
  expect(await harness.status("leaving", "x")).toMatchObject({ status: "complete" });
});

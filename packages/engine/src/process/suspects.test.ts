/** Runs that are suspected of killing their processes, in a process that only ticks. */
import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

/** Runs whose processes died twice; their leases have not ended. */
async function raiseSuspects() {
  let isDeadly = true;
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("body", () => (isDeadly ? new Promise(() => {}) : "survived")),
  );
  const harness = createHarness({ workflows: { W } });
  const ids = ["a", "b", "c"];
  for (const id of ids) await harness.workflows.W.create({ id });
  for (let life = 0; life < 2; life += 1) {
    if (life > 0) await harness.clock.advance(60_000);
    void harness.tick();
    await harness.clock.advance(0);
    harness.restart();
  }
  return { harness, ids, heal: () => (isDeadly = false) };
}

it("S5-015 a tick takes several suspects, one after another: nobody else may come", async () => {
  const { harness, ids, heal } = await raiseSuspects();
  heal();
  await harness.clock.advance(60_000);
  const { processed, nextWakeInMs, moreDue } = await harness.tick();
  expect({ processed, nextWakeInMs, moreDue }).toEqual({
    processed: 3,
    nextWakeInMs: null,
    moreDue: false,
  });
  for (const id of ids) expect(await harness.status("w", id)).toMatchObject({ status: "complete" });
});

it("S5-015 a tick whose process holds other runs has somebody look again for a suspect", async () => {
  const { harness } = await raiseSuspects();
  await harness.workflows.W.create({ id: "busy" });
  void harness.tick();
  await harness.clock.advance(60_000);
  expect(await harness.tick()).toMatchObject({ processed: 0, nextWakeInMs: 8000 });
  harness.restart();
});

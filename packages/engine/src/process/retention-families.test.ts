/** Ended instances are deleted with their family, however many steps and children it has. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, Loop, type WorkflowsRegistry } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import { VIRTUAL_START_AT } from "../testing/virtual-clock.ts";

const DAY_MS = 86_400_000;

/** A harness that keeps ended instances for seven days. */
function open<const TWorkflows extends WorkflowsRegistry>(workflows: TWorkflows) {
  let nowMs = VIRTUAL_START_AT;
  const store = createMemoryStore({ now: () => nowMs });
  const clock = { now: () => nowMs, advance: (ms: number) => void (nowMs += ms) };
  return createHarness({ workflows, store: { store, clock }, retention: "7 days" });
}

/** Its time is over; then this many minutes pass, each with a tick. */
async function pass(
  harness: Pick<Harness<WorkflowsRegistry>, "clock" | "tick">,
  minutes: number,
): Promise<void> {
  await harness.clock.advance(8 * DAY_MS);
  for (let minute = 0; minute < minutes; minute += 1) {
    await harness.tick();
    await harness.clock.advance(61_000);
  }
}

describe("retention of families", () => {
  it("S8-005 one with more steps than may go at once goes in the end, and families go together", async () => {
    const kid = defineWorkflow({ name: "kid" }, async (_event, step) => step.do("a", () => 1));
    const long = defineWorkflow({ name: "long" }, async (_event, step) => {
      for (let count = 0; count < 510; count += 1) await step.do("a", () => 1);
    });
    const parent = defineWorkflow({ name: "parent" }, async (_event, step) => {
      await step.invoke(kid);
    });
    const harness = open({ KID: kid, LONG: long, PARENT: parent });
    await harness.workflows.LONG.create();
    await harness.workflows.PARENT.create();
    await harness.runUntilIdle();
    const { engine } = harness;
    const count = async () => (await engine.findInstances({})).instances.length;
    expect(await count()).toBe(3);
    await pass(harness, 5);
    expect(await count()).toBe(0);
  });

  it("S8-005 one with many steps keeps them as long as a child of its is to stay", async () => {
    const kid = defineWorkflow({ name: "kid", retention: "forever" }, () => 1);
    const long = defineWorkflow({ name: "long" }, async (_event, step) => {
      await step.invoke(kid);
      for (let count = 0; count < 510; count += 1) await step.do("a", () => 1);
    });
    const harness = open({ KID: kid, LONG: long });
    const { id } = await harness.workflows.LONG.create();
    await harness.runUntilIdle();
    await pass(harness, 5);
    const { runNumber, steps } = await harness.engine.listHistory("long", id, { pageSize: 100 });
    expect([runNumber, steps.length]).toEqual([1, 100]);
  });

  it("S8-005 a family goes in the end whose grandchildren are more than may go at once, and whose steps a loop has removed", async () => {
    const leaf = defineWorkflow({ name: "leaf" }, () => 1);
    const middle = defineWorkflow({ name: "middle" }, async (_event, step) => {
      await step.loop("again", {
        state: 0,
        run: async (iteration, count) => {
          await iteration.invoke(leaf);
          return count < 520 ? Loop.continue(count + 1) : Loop.break(count);
        },
      });
    });
    const root = defineWorkflow({ name: "root" }, async (_event, step) => {
      await step.invoke(middle);
    });
    const harness = open({ LEAF: leaf, MIDDLE: middle, ROOT: root });
    await harness.workflows.ROOT.create();
    await harness.runUntilIdle();
    const { engine } = harness;
    const count = async () =>
      (await engine.countInstances({})).counts.reduce((sum, each) => sum + each.count, 0);
    expect(await count()).toBe(523);
    await pass(harness, 20);
    expect(await count()).toBe(0);
  });
});

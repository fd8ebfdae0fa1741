/** Names that are used again, and loops that make no progress. */
import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

it("S5-006 S5-007 a loop over one name of a step and of a sleep polls until it is done, beside others", async () => {
  let polls = 0;
  const poller = defineWorkflow({ name: "poller" }, async (_event, step) => {
    for (;;) {
      if (await step.do("poll", () => (polls += 1) === 5)) return polls;
      await step.sleep("wait", 20);
    }
  });
  const other = defineWorkflow({ name: "other" }, (_event, step) => step.do("once", () => "done"));
  const harness = createHarness({ workflows: { POLLER: poller, OTHER: other } });
  await harness.workflows.POLLER.create({ id: "x" });
  await harness.workflows.OTHER.create({ id: "y" });
  await harness.runThroughTime();
  expect(await harness.status("poller", "x")).toMatchObject({ status: "complete", output: 5 });
  expect(await harness.status("other", "y")).toMatchObject({ status: "complete" });
  const { steps } = await harness.history("poller", "x");
  expect(steps.filter(({ type }) => type === "do").map(({ stepKey }) => stepKey)).toEqual([
    "poll",
    "poll#2",
    "poll#3",
    "poll#4",
    "poll#5",
  ]);
});

it("S5-007 two waits of one name take two events", async () => {
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const taken: unknown[] = [];
    while (taken.length < 2)
      taken.push((await step.waitForEvent("next", { type: "word" })).payload);
    return taken;
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.sendEvent("w", "x", { type: "word", payload: "first" });
  await harness.sendEvent("w", "x", { type: "word", payload: "second" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ output: ["first", "second"] });
});

const DEAF = { maxIdleCalls: 50 };
/** More turns than one burst has. */
const PATIENT = { maxIdleCalls: 5000 };

it("S5-008 a loop over a cached step is stopped with RUN_SPINNING, and timers run meanwhile", async () => {
  let timers = 0;
  const spinner = defineWorkflow({ name: "w", repeatedNames: "cached" }, async (_event, step) => {
    setImmediate(() => (timers += 1));
    for (;;) await step.do("poll", () => false);
  });
  const harness = createHarness({ workflows: { W: spinner }, limits: PATIENT });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    status: "errored",
    error: { code: "RUN_SPINNING" },
  });
  expect(timers).toBeGreaterThan(0);
});

it("S5-008 a loop that catches refused calls is stopped with RUN_SPINNING", async () => {
  const spinner = defineWorkflow({ name: "w" }, async (_event, step) => {
    for (;;) await step.do("", () => false).catch(() => undefined);
  });
  const harness = createHarness({ workflows: { W: spinner }, limits: DEAF });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

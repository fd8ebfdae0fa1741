/** Runs with more events than a claim returns. */
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { EVENT_PAGE } from "../ports/run-pages.ts";
import { createHarness } from "../testing/harness.ts";

const BEYOND = EVENT_PAGE.rows + 30;

test("S5-012 a wait takes its event behind any number of others, and the run then goes on", async () => {
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    const first = await step.waitForEvent("first", { type: "wanted" });
    const second = await step.waitForEvent("second", { type: "wanted" });
    return [first.payload, second.payload];
  });
  const { workflows, engine, runUntilIdle, status } = createHarness({ workflows: { W: workflow } });
  const instance = await workflows.W.create({ id: "i" });
  for (let count = 0; count < BEYOND; count += 1) await instance.sendEvent({ type: "noise" });
  await instance.sendEvent({ type: "wanted", payload: 1 });
  await runUntilIdle();
  expect(await status("w", "i")).toMatchObject({ status: "waiting" });
  await engine.sendEvent("w", "i", { type: "wanted", payload: 2 });
  await runUntilIdle();
  expect(await status("w", "i")).toMatchObject({ status: "complete", output: [1, 2] });
});

test("S5-012 S3-022 waits in turn take all events of a type in the order in which they were sent", async () => {
  const count = 2 * EVENT_PAGE.rows + 7;
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    const seen: unknown[] = [];
    for (let index = 0; index < count; index += 1)
      seen.push((await step.waitForEvent(`wait ${index}`, { type: "a" })).payload);
    return seen;
  });
  const { workflows, runUntilIdle } = createHarness({ workflows: { W: workflow } });
  const instance = await workflows.W.create({ id: "i" });
  for (let index = 0; index < count; index += 1)
    await instance.sendEvent({ type: "a", payload: index });
  await runUntilIdle();
  expect(await instance.status()).toMatchObject({
    status: "complete",
    output: Array.from({ length: count }, (_, index) => index),
  });
});

test("S5-012 S3-021 a wait that no event ends times out, and sleeps until then", async () => {
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    const event = await step.tryWaitForEvent("wait", { type: "never", timeout: "1 hour" });
    return event === null ? "timed out" : "event";
  });
  const harness = createHarness({ workflows: { W: workflow } });
  const instance = await harness.workflows.W.create({ id: "i" });
  for (let count = 0; count < BEYOND; count += 1) await instance.sendEvent({ type: "noise" });
  const { processed } = await harness.runUntilIdle();
  expect(processed).toBeLessThanOrEqual(2);
  await harness.clock.advance(3_600_000);
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete", output: "timed out" });
});

test("S5-012 beside a body, events that came meanwhile are found behind those that came before", async () => {
  let finish = (): void => {};
  const gate = new Promise<void>((resolve) => (finish = resolve));
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    const [event] = await Promise.all([
      step.waitForEvent("wait", { type: "wanted" }),
      step.do("body", () => gate),
    ]);
    return event.payload;
  });
  const { workflows, tick, runUntilIdle, status } = createHarness({ workflows: { W: workflow } });
  const instance = await workflows.W.create({ id: "i" });
  for (let count = 0; count < BEYOND; count += 1) await instance.sendEvent({ type: "noise" });
  const ticking = tick();
  await expect.poll(async () => (await status("w", "i")).status).toBe("running");
  await instance.sendEvent({ type: "wanted", payload: "late" });
  finish();
  await ticking;
  await runUntilIdle();
  expect(await status("w", "i")).toMatchObject({ status: "complete", output: "late" });
});

test("S5-013 at its cap an instance still runs, and takes events again once a wait took one", async () => {
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.waitForEvent("wait", { type: "go" });
    await step.do("body", () => "done");
    await step.waitForEvent("again", { type: "go" });
  });
  const { workflows, runUntilIdle, history } = createHarness({
    workflows: { W: workflow },
    limits: { maxUndeliveredEvents: BEYOND },
  });
  const instance = await workflows.W.create({ id: "i" });
  for (let count = 0; count < BEYOND - 1; count += 1) await instance.sendEvent({ type: "noise" });
  await instance.sendEvent({ type: "go" });
  await expect(instance.sendEvent({ type: "go" })).rejects.toMatchObject({
    code: "EVENT_LIMIT",
    retryable: true,
  });
  await runUntilIdle();
  expect((await history("w", "i")).steps.map(({ status }) => status)).toEqual([
    "completed",
    "completed",
    "waiting",
  ]);
  await instance.sendEvent({ type: "go" });
  await runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete" });
});

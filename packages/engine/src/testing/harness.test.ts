import { describe, expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness, openHarness } from "./harness.ts";

const ran: string[] = [];
const order = defineWorkflow({ name: "order" }, async (_event, step) => {
  await step.do("reserve", () => void ran.push("reserve"));
  const approval = await step.waitForEvent<{ by: string }>("approve", {
    type: "approval",
    timeout: "1 day",
  });
  await step.do("charge", { retries: { limit: 1, delay: 0 } }, () => void ran.push("charge"));
  return approval.payload.by;
});
const workflows = { ORDER: order };

describe("the harness", () => {
  it("S0-170 S0-171 S0-172 S0-173 S3-048 drives a workflow by ticks, time and events, and shows status and history", async () => {
    const harness = createHarness({ workflows });
    await harness.workflows.ORDER.create({ id: "x" });
    expect(await harness.tick()).toMatchObject({
      processed: 1,
      steps: 1,
      moreDue: false,
      nextWakeInMs: 86_400_000,
    });
    await harness.clock.advance(1000);
    await harness.sendEvent("order", "x", { type: "approval", payload: { by: "ada" } });
    expect(await harness.runUntilIdle()).toEqual({ processed: 1 });
    expect(await harness.status("order", "x")).toMatchObject({ status: "complete", output: "ada" });
    const { steps, events } = await harness.history("order", "x");
    expect(steps.map(({ name, type, status }) => `${name} ${type} ${status}`)).toEqual([
      "reserve do completed",
      "approve waitForEvent completed",
      "charge do completed",
    ]);
    expect(events).toMatchObject([
      { type: "approval", payload: { by: "ada" }, consumedByStepKey: "approve" },
    ]);
  });

  it("S0-169 history shows what a waiting instance waits for", async () => {
    const harness = createHarness({ workflows });
    await harness.workflows.ORDER.create({ id: "x" });
    await harness.runUntilIdle();
    const { steps } = await harness.history("order", "x");
    expect(steps[1]).toMatchObject({
      type: "waitForEvent",
      status: "waiting",
      waitEventType: "approval",
      wakeAt: harness.clock.now() + 86_400_000,
    });
  });

  it("S0-001 restart throws the runner away mid-step: the lost attempt is counted and shown once the lease has ended", async () => {
    let attempts = 0;
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("before", () => 1);
      return step.do("hang first", () => {
        attempts += 1;
        return attempts === 1 ? new Promise<never>(() => {}) : "second";
      });
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    void harness.tick();
    await harness.clock.advance(0);
    harness.restart();
    expect(await harness.runUntilIdle()).toEqual({ processed: 0 });
    await harness.clock.advance(30_000);
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "second" });
    expect((await harness.history("w", "x")).steps[1]).toMatchObject({
      attempts: 1,
      lostAttempts: 1,
    });
  });

  it("S3-046 two harnesses share nothing: each has a database, a clock and a log of its own", async () => {
    const [one, other] = [createHarness({ workflows }), createHarness({ workflows })];
    await one.workflows.ORDER.create({ id: "x" });
    await one.runUntilIdle();
    const before = other.clock.now();
    await one.clock.advance(1000);
    expect(other.clock.now()).toBe(before);
    expect(await other.tick()).toMatchObject({ processed: 0, nextWakeAt: null });
    await expect(other.status("order", "x")).rejects.toMatchObject({ code: "INSTANCE_NOT_FOUND" });
    await other.workflows.ORDER.create({ id: "x" });
    expect(await other.status("order", "x")).toMatchObject({ status: "queued" });
    expect(await one.status("order", "x")).toMatchObject({ status: "waiting" });
  });

  it("S0-085 S0-168 a finished instance leaves no task behind", async () => {
    const harness = createHarness({ workflows });
    await harness.workflows.ORDER.create({ id: "x" });
    await harness.sendEvent("order", "x", { type: "approval", payload: { by: "ada" } });
    await harness.runUntilIdle();
    expect(await harness.tick()).toEqual({
      processed: 0,
      steps: 0,
      moreDue: false,
      nextWakeInMs: null,
      nextWakeAt: null,
      thenWakeAt: null,
      quietMs: null,
    });
  });

  /** A workflow whose process dies in its first body, and which then sleeps for a long time. */
  async function playDeath(goesOn: boolean) {
    let bodies = 0;
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.do("dies first", () => {
        bodies += 1;
        if (bodies === 1) harness.restart();
      });
      await step.sleep("month", "30 days");
    });
    const harness = openHarness({ workflows: { W: w }, runnerId: "one" }, { goesOn });
    await harness.workflows.W.create({ id: "x" });
    const idle = harness.runUntilIdle();
    await harness.clock.advance(0);
    return { harness, idle, bodyCount: () => bodies };
  }

  it("S0-001 what was running until idle goes on with the new runner where it is to", async () => {
    const { harness, idle, bodyCount } = await playDeath(true);
    expect(await idle).toEqual({ processed: 1 });
    expect(bodyCount()).toBe(2);
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  });

  it("S0-001 and else it never ends: nothing runs before the next tick", async () => {
    const { harness, idle, bodyCount } = await playDeath(false);
    let hasEnded = false;
    void idle.finally(() => (hasEnded = true));
    await harness.clock.advance(60_000);
    expect(bodyCount()).toBe(1);
    await harness.runThroughTime();
    expect(bodyCount()).toBe(2);
    expect(hasEnded).toBe(false);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  });

  it("fails at once where a workflow awaits for ever what is no step", async () => {
    const w = defineWorkflow({ name: "w" }, () => new Promise(() => {}));
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await expect(harness.runUntilIdle()).rejects.toThrow("await_outside_step");
  });
});

/** Waits for time and for events. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

describe("waits", () => {
  it("S0-003 S0-035 S0-101 S3-019 S3-033 S4-038 a sleep parks and catch and finally never see it", async () => {
    const log: string[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      try {
        await step.sleep("nap", "1 hour");
        log.push("after");
      } catch {
        log.push("catch");
      } finally {
        log.push("finally");
      }
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(log).toEqual([]);
    await harness.clock.advance(3_599_999);
    expect(await harness.runUntilIdle()).toEqual({ processed: 0 });
    await harness.clock.advance(1);
    await harness.runUntilIdle();
    expect(log).toEqual(["after", "finally"]);
  });

  it("S3-019 S3-033 S4-038 neither a wait for an event nor a hand-over to another runner is seen by catch and finally", async () => {
    const log: string[] = [];
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      try {
        await step.do("one", () => 1);
        await step.do("two", () => 2);
        await step.waitForEvent("wait", { type: "go" });
        log.push("after");
      } catch {
        log.push("catch");
      } finally {
        log.push("finally");
      }
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    expect(await harness.tick({ maxSteps: 1 })).toMatchObject({ steps: 1, moreDue: true });
    expect(await harness.status("w", "x")).toMatchObject({ status: "queued" });
    expect(await harness.tick()).toMatchObject({ steps: 1, moreDue: false });
    expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
    expect(log).toEqual([]);
    await harness.sendEvent("w", "x", { type: "go" });
    await harness.runUntilIdle();
    expect(log).toEqual(["after", "finally"]);
  });

  it("S0-039 S0-102 S0-151 S0-172 an event wakes the wait that asks for it", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const message = await step.waitForEvent<{ n: number }>("wait", { type: "go" });
      return message.payload.n;
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    await harness.sendEvent("w", "x", { type: "other" });
    expect(await harness.runUntilIdle()).toEqual({ processed: 0 });
    await harness.sendEvent("w", "x", { type: "go", payload: { n: 7 } });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 7 });
  });

  it("S0-040 S0-042 a wait times out after 24 hours by default; the error can be caught, or be a value", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const missing = await step.tryWaitForEvent("first", { type: "go", timeout: "1 minute" });
      try {
        await step.waitForEvent("second", { type: "go" });
      } catch (error) {
        return [missing, WorkflowError.is(error) && error.code];
      }
      return "no timeout";
    });
    const harness = createHarness({ workflows: { W: w } });
    const startedAt = harness.clock.now();
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "complete",
      output: [null, "EVENT_TIMEOUT"],
    });
    expect(harness.clock.now() - startedAt).toBe(86_460_000);
  });

  it("Promise.race between a wait and a slow body is won by the wait when its time comes", async () => {
    const w = defineWorkflow({ name: "w" }, (_event, step) =>
      Promise.race([
        step.do("slow", () => new Promise<string>(() => {})),
        step.sleep("limit", "5 seconds").then(() => "too slow"),
      ]),
    );
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    for (let turn = 0; turn < 8; turn += 1) await harness.clock.advance(1000);
    await ticking;
    expect(await harness.status("w", "x")).toMatchObject({
      status: "complete",
      output: "too slow",
    });
  });

  it("a wait beside a slow body ends on time though another body ended meanwhile", async () => {
    const at: number[] = [];
    let end: (value: string) => void = () => {};
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const slow = step.do("slow", () => new Promise<never>(() => {}));
      const other = step.do("other", () => new Promise<string>((resolve) => (end = resolve)));
      const nap = step.sleep("nap", "5 seconds").then(() => void at.push(harness.clock.now()));
      await other;
      await nap;
      void slow;
    });
    const harness = createHarness({ workflows: { W: w } });
    const startedAt = harness.clock.now();
    await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    await harness.clock.advance(3000);
    end("ended");
    for (let count = 0; count < 30; count += 1) await harness.clock.advance(100);
    await ticking;
    expect(at).toEqual([startedAt + 5000]);
  });

  it("a wait since itself passes over an event that was there in the same millisecond, and takes the next", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const { payload } = await step.waitForEvent("wait", { type: "go", since: "wait" });
      return payload;
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.sendEvent("w", "x", { type: "go", payload: "before" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "waiting" });
    await harness.sendEvent("w", "x", { type: "go", payload: "after" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "after" });
  });

  it("Promise.race between two waits replays as it went the first time, though both have come true since", async () => {
    const w = defineWorkflow({ name: "w" }, async (_event, step) => {
      const winner = await Promise.race([
        step.waitForEvent("event", { type: "go" }).then(() => "event"),
        step.sleep("limit", "5 seconds").then(() => "sleep"),
      ]);
      await step.sleep("nap", "1 minute");
      await step.do("done", () => 1);
      return winner;
    });
    const harness = createHarness({ workflows: { W: w } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    await harness.clock.advance(5000);
    await harness.runUntilIdle();
    await harness.sendEvent("w", "x", { type: "go" });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "sleep" });
  });
});

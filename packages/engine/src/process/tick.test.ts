import { describe, expect, it, vi } from "vitest";
import { createEngine, defineWorkflow, WorkflowError } from "../index.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createHarness } from "../testing/harness.ts";
import { twoSteps, setup } from "./testing-tick.ts";

describe("a tick", () => {
  it("S0-086 S0-067 advances everything that is due, in as many claims as its slots ask for", async () => {
    const { harness, complete } = await setup(10);
    expect(await harness.tick()).toEqual({
      processed: 10,
      steps: 20,
      moreDue: false,
      nextWakeInMs: null,
      nextWakeAt: null,
      thenWakeAt: null,
      quietMs: null,
    });
    expect(await complete()).toBe(10);
  });

  it("S0-153 stops at maxInstances and says that more is due", async () => {
    const { harness, complete } = await setup(10);
    expect(await harness.tick({ maxInstances: 3 })).toMatchObject({ processed: 3, moreDue: true });
    expect(await complete()).toBe(3);
  });

  it("S0-153 stops at maxSteps: it commits what is done, hands the rest over, and nothing runs twice", async () => {
    const { harness, complete } = await setup(2);
    expect(await harness.tick({ maxSteps: 3 })).toMatchObject({ steps: 3, moreDue: true });
    const { steps } = await harness.tick();
    expect(steps).toBe(1);
    expect(await complete()).toBe(2);
  });

  it("with a deadline starts no body that is not expected to fit, but always makes progress", async () => {
    const harness = createHarness({ workflows: { TWO: twoSteps }, expectedStepMs: 60_000 });
    await harness.workflows.TWO.create({ id: "x" });
    const tick = () => harness.tick({ deadline: harness.clock.now() + 30_000 });
    expect(await tick()).toMatchObject({ steps: 1, moreDue: true });
    expect(await harness.status("two", "x")).toMatchObject({ status: "queued" });
    expect(await tick()).toMatchObject({ steps: 1, moreDue: false });
    expect(await harness.status("two", "x")).toMatchObject({ status: "complete" });
  });

  it("near its deadline gives bodies in flight up, counts their attempts as lost and releases the lease", async () => {
    let attempts = 0;
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => {
        attempts += 1;
        return attempts === 1 ? new Promise<never>(() => {}) : "done";
      }),
    );
    const harness = createHarness({ workflows: { SLOW: slow } });
    await harness.workflows.SLOW.create({ id: "x" });
    const ticking = harness.tick({ deadline: harness.clock.now() + 10_000 });
    await harness.clock.advance(0);
    await harness.clock.advance(8000);
    expect(await ticking).toMatchObject({ processed: 1, moreDue: true });
    await harness.runUntilIdle();
    expect(await harness.status("slow", "x")).toMatchObject({ status: "complete", output: "done" });
    expect((await harness.history("slow", "x")).steps[0]).toMatchObject({
      attempts: 1,
      lostAttempts: 1,
    });
  });

  it("looks again for a run that it lost: it may be due", async () => {
    const memory = createMemoryStore();
    let commitCount = 0;
    // The run is released meanwhile, and the commit finds no lease.
    const commit: typeof memory.commit = async (commits) => {
      commitCount += 1;
      if (commitCount > 1) return memory.commit(commits);
      await memory.commit(
        commits.map((one) => ({ ...one, changes: [], outcome: { kind: "release" } })),
      );
      return commits.map(() => ({ kind: "conflict" }));
    };
    const engine = createEngine({ workflows: { TWO: twoSteps }, store: { ...memory, commit } });
    await engine.workflows.TWO.create({ id: "x" });
    expect(await engine.tick()).toMatchObject({ processed: 2, moreDue: false });
    expect(await engine.getInstance("two", "x")).toMatchObject({ details: { status: "complete" } });
  });

  it("fails, when a claim fails, only after what it has in hand is committed", async () => {
    const memory = createMemoryStore();
    let isAway = false;
    const claim: typeof memory.claim = (ticket) =>
      isAway
        ? Promise.reject(new WorkflowError("STORE_UNAVAILABLE", "away"))
        : memory.claim(ticket);
    const finish: (() => void)[] = [];
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => new Promise<string>((resolve) => finish.push(() => resolve("done")))),
    );
    const engine = createEngine({ workflows: { SLOW: slow }, store: { ...memory, claim } });
    await engine.workflows.SLOW.create({ id: "quick" });
    await engine.workflows.SLOW.create({ id: "x" });
    const failing = engine.tick({ maxInstances: 3 }).catch((error: unknown) => error);
    await vi.waitUntil(() => finish.length === 2, { timeout: 60_000 });
    isAway = true;
    await engine.workflows.SLOW.create({ id: "y" });
    finish[0]?.();
    setTimeout(() => finish[1]?.(), 50);
    expect(await failing).toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect((await engine.getInstance("slow", "x")).details).toMatchObject({ status: "complete" });
  });

  it("with a deadline lingers for a short sleep instead of ending", async () => {
    const napper = defineWorkflow({ name: "nap" }, async (_event, step) => {
      await step.sleep("nap", "2 seconds");
      return "rested";
    });
    const harness = createHarness({ workflows: { NAP: napper } });
    await harness.workflows.NAP.create({ id: "x" });
    const ticking = harness.tick({ deadline: harness.clock.now() + 60_000 });
    for (let second = 0; second < 4; second += 1) await harness.clock.advance(1000);
    expect(await ticking).toMatchObject({ processed: 2, moreDue: false });
    expect(await harness.status("nap", "x")).toMatchObject({ status: "complete" });
  });

  it("advances a run that comes due while another's step is still in hand", async () => {
    let finish: (value: string) => void = () => {};
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => new Promise<string>((resolve) => (finish = resolve))),
    );
    const napper = defineWorkflow({ name: "nap" }, async (_event, step) => {
      await step.sleep("nap", "2 seconds");
      return "rested";
    });
    const harness = createHarness({ workflows: { SLOW: slow, NAP: napper } });
    await harness.workflows.SLOW.create({ id: "x" });
    await harness.workflows.NAP.create({ id: "x" });
    const ticking = harness.tick();
    for (let second = 0; second < 4; second += 1) await harness.clock.advance(1000);
    expect(await harness.status("nap", "x")).toMatchObject({ status: "complete" });
    expect(await harness.status("slow", "x")).toMatchObject({ status: "running" });
    finish("done");
    expect(await ticking).toMatchObject({ processed: 3, moreDue: false });
  });

  it("does not stay for the end of a lease that another process holds, and says when it ends to who asks", async () => {
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do("slow", () => new Promise(() => {})),
    );
    const harness = createHarness({ workflows: { SLOW: slow }, leaseMs: 30_000 });
    await harness.workflows.SLOW.create({ id: "x" });
    void harness.tick();
    await harness.clock.advance(1);
    harness.restart();
    const patient = { deadline: harness.clock.now() + 120_000, lingerMs: 60_000 };
    // One after the other, because both need all slots.
    const asking = await harness.tick(patient);
    const indifferent = await harness.tick({ ...patient, wakesFor: "due" });
    expect(asking).toMatchObject({ moreDue: false, nextWakeInMs: 29_999, quietMs: 29_999 });
    // It is not quiet until then, whoever waits for it.
    expect(indifferent).toMatchObject({ moreDue: false, nextWakeInMs: null, quietMs: 29_999 });
  });

  it("finds in the same pass the child that a step has just created", async () => {
    const parent = defineWorkflow({ name: "parent" }, (_event, step, { workflows }) =>
      step.do("start", async () => (await workflows["TWO"]?.create({ id: "child" }))?.id),
    );
    const harness = createHarness({ workflows: { TWO: twoSteps, PARENT: parent } });
    await harness.workflows.PARENT.create({ id: "x" });
    expect(await harness.tick()).toMatchObject({ processed: 2, moreDue: false });
  });
});

/** `describe`: params, times, next wake and current steps of an instance, whatever it waits for. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineTopic, defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";

const news = defineTopic({ name: "news" });
const callbacks = {
  signingKeys: ["a-secret-of-the-caller-that-nobody-else-has"],
  url: "https://describe.example/api",
};

describe.each(LOCAL_STORES)("S8-002 describe on %s", (_name, openStore) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await openStore();
  });
  afterAll(() => timed.teardown());

  async function play(run: (step: WorkflowStep) => Promise<unknown>, create: object = {}) {
    plays += 1;
    const name = `w${plays}`;
    const harness = createHarness({
      workflows: {
        W: defineWorkflow({ name }, async (_event, step) => run(step)),
        CHILD: child,
      },
      topics: [news],
      callbacks,
      runnerId: "web-1",
      store: { store: timed.store, clock: timed.clock },
    });
    const instance = await harness.workflows.W.create({ id: "x", ...create });
    return { name, harness, instance, now: () => harness.engine.describeInstance(name, "x") };
  }

  const child = defineWorkflow({ name: "child" }, async (_event, step) =>
    step.waitForEvent("go", { type: "go" }),
  );

  test("an instance has its params, its times, its tags, and how long nothing happens", async () => {
    const { instance, harness, now } = await play(
      async (step) => {
        await step.sleep("nap", 5000);
        return "rested";
      },
      { params: { a: [1] }, tags: ["vip"], memo: "m" },
    );
    const queued = await instance.describe();
    const { createdAt } = queued;
    expect(queued).toEqual({
      id: "x",
      workflowName: expect.stringMatching(/^w\d+$/),
      details: { status: "queued", runNumber: 1, tags: ["vip"], memo: "m" },
      params: { a: [1] },
      now: createdAt,
      createdAt,
      updatedAt: createdAt,
      startedAt: null,
      completedAt: null,
      nextWakeAt: createdAt,
      heldUntil: null,
      currentSteps: [],
      hasMoreSteps: false,
    });
    await timed.clock.advance(10);
    await harness.runUntilIdle();
    const wake = createdAt + 5010;
    expect(await now()).toMatchObject({
      startedAt: createdAt + 10,
      nextWakeAt: wake,
      currentSteps: [
        {
          stepKey: "nap",
          type: "sleep",
          status: "waiting",
          waitsFor: { kind: "time", until: wake },
          attemptStartedAt: null,
          runner: null,
        },
      ],
    });
    await harness.clock.advance(6000);
    await harness.runUntilIdle();
    expect(await now()).toMatchObject({
      details: { status: "complete", output: "rested" },
      completedAt: createdAt + 6010,
      nextWakeAt: null,
      currentSteps: [],
    });
  });

  test("each wait says what it waits for and until when, here and in the history", async () => {
    const { name, harness, now } = await play((step) =>
      Promise.all([
        step.waitForEvent("either", { type: "paid", timeout: 9000 }),
        step.receive("several", { types: ["b", "a"] }),
        step.waitForTopic("said", news),
        step.callback("called", { timeout: 8000 }).then((callback) => callback.payload()),
        step.invoke(child, { name: "made", id: `of-${plays}` }),
        step.do("tried", { retries: { limit: 2, delay: 7000 } }, () => {
          throw new TypeError("not yet");
        }),
      ]),
    );
    const at = harness.clock.now();
    await harness.runUntilIdle();
    const expected = {
      either: { kind: "event", types: ["paid"], until: expect.any(Number) },
      several: { kind: "event", types: ["a", "b"] },
      said: { kind: "topic", topic: "news" },
      called: { kind: "callback", until: expect.any(Number) },
      made: { kind: "child", id: `of-${plays}`, until: null },
      tried: { kind: "nextAttempt", until: expect.any(Number) },
    };
    const byKey = (steps: readonly { readonly stepKey: string; readonly waitsFor: unknown }[]) =>
      Object.fromEntries(steps.map(({ stepKey, waitsFor }) => [stepKey, waitsFor]));
    const { currentSteps } = await now();
    expect(byKey(currentSteps)).toMatchObject(expected);
    expect(byKey((await harness.history(name, "x")).steps)).toMatchObject(expected);
    expect(currentSteps.find(({ stepKey }) => stepKey === "tried")).toMatchObject({
      attempts: 1,
      runner: "web-1",
      error: { name: "TypeError", message: "not yet" },
    });
    expect(at).toBeGreaterThan(0);
  });

  test("one that a process has says until when, and one that nobody knows is not found", async () => {
    let release = (): void => {};
    let begun = (): void => {};
    const isRunning = new Promise<void>((resolve) => (begun = resolve));
    const { harness, now, name } = await play((step) =>
      step.do("work", () => {
        begun();
        return new Promise<void>((resolve) => (release = resolve));
      }),
    );
    const tick = harness.tick();
    await isRunning;
    const held = await now();
    expect(held).toMatchObject({ details: { status: "running" }, nextWakeAt: null });
    expect(held.heldUntil).toBeGreaterThan(held.now);
    release();
    await tick;
    for (const [workflow, id, code] of [
      [name, "nobody", "INSTANCE_NOT_FOUND"],
      [name, "no such id", "INVALID_INSTANCE_ID"],
      ["nothing", "x", "WORKFLOW_NOT_FOUND"],
    ] as const) {
      const error: unknown = await harness.engine.describeInstance(workflow, id).catch((e) => e);
      expect(WorkflowError.is(error) && error.code).toBe(code);
    }
  });
});

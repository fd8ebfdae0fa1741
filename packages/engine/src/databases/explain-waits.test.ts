/** An engine brings about each wait; `explain` names it, and another cause once the wait is over. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";
import { news, play } from "./testing-explain.ts";

describe.each(LOCAL_STORES)("S8-003 explain of waits on %s", (_name, openStore) => {
  let timed: TimedStore;
  beforeAll(async () => {
    timed = await openStore();
  });
  afterAll(() => timed.teardown());

  test("S8-003 sleeps until its instant", async () => {
    const { harness, expects, explain } = await play(timed, (step) =>
      step.sleep("nap", "90 minutes"),
    );
    await harness.runUntilIdle();
    await expects("sleeping", `sleeps at step "nap", and wakes in 1 hour 30 minutes`, {
      step: "nap",
    });
    const explanation = await explain();
    expect("until" in explanation && explanation.until).toBe(explanation.now + 5_400_000);
    await harness.clock.advance(5_400_000);
    await expects("due", "due for 0 ms");
  });

  test("S8-003 waits for an event: none was sent, only others were, it came; payloads are not told", async () => {
    const { name, harness, expects, explain } = await play(timed, (step) =>
      step.waitForEvent("approval", { type: "approved", timeout: "1 day" }),
    );
    await harness.runUntilIdle();
    await expects(
      "waitsForEvent",
      `for an event of type "approved", which times out in 1 day; no event is buffered`,
    );
    await harness.sendEvent(name, "x", { type: "aproved", payload: "a-secret" });
    await expects("waitsForEvent", `the buffered events are of other types: 1 of type "aproved"`, {
      types: ["approved"],
      buffered: [{ type: "aproved", count: 1 }],
    });
    expect(JSON.stringify(await explain())).not.toContain("a-secret");
    await harness.sendEvent(name, "x", { type: "approved" });
    await expects("due", "no runner has claimed it");
    await harness.runUntilIdle();
    await expects("complete", "It is complete");
  });

  test("S8-003 has some events and takes more", async () => {
    const { name, harness, expects } = await play(timed, (step) =>
      step.receive("batch", { types: ["a"], count: 3, min: 3, timeout: "1 hour" }),
    );
    await harness.runUntilIdle();
    await harness.sendEvent(name, "x", { type: "a" });
    await harness.runUntilIdle();
    await expects("waitsForEvent", `1 of type "a" arrived already, but it needs more`);
  });

  test("S8-003 waits for its callback, whose token is not told", async () => {
    let token = "";
    const { harness, expects, explain } = await play(timed, async (step) => {
      const callback = await step.callback("signature", { timeout: "1 hour" });
      token = callback.token;
      return callback.payload();
    });
    await harness.runUntilIdle();
    await expects("waitsForCallback", `waits at step "signature" for its callback`);
    expect(JSON.stringify(await explain())).not.toContain(token);
  });

  test("S8-003 waits for a message of a topic", async () => {
    const { harness, expects } = await play(timed, (step) => step.waitForTopic("hear", news));
    await harness.runUntilIdle();
    await expects("waitsForTopic", `a message of the topic "news", which times out in 1 day`);
    await harness.engine.emit(news);
    await harness.runUntilIdle();
    await expects("complete", "It is complete");
  });

  test("S8-003 waits for a child: named, with its status", async () => {
    const childName = "child-of-it";
    const child = defineWorkflow({ name: childName }, async (_event, step) =>
      step.waitForEvent("go", { type: "go" }),
    );
    const parent = defineWorkflow({ name: "parent" }, async (_event, step) =>
      step.invoke(child, { id: "kid" }),
    );
    const harness = createHarness({ workflows: { PARENT: parent, CHILD: child }, store: timed });
    const instance = await harness.workflows.PARENT.create({ id: "x" });
    await harness.runUntilIdle();
    expect((await instance.explain()).sentence).toContain(
      `for its child "kid" of workflow "${childName}", which is waiting`,
    );
    await (await harness.workflows.CHILD.get("kid")).pause();
    expect(await instance.explain()).toMatchObject({
      cause: "waitsForChild",
      child: { workflowName: childName, id: "kid", status: "paused", runNumber: 1 },
    });
    await (await harness.workflows.CHILD.get("kid")).terminate();
    expect((await instance.explain()).cause).toBe("due");
  });

  test("S8-003 a wait that changed code has left is not what it waits for", async () => {
    const { name, harness } = await play(timed, async (step) => {
      await step.waitForEvent("old", { type: "old" });
    });
    await harness.runUntilIdle();
    const changed = defineWorkflow({ name }, async (_event, step) => step.sleep("new", "1 hour"));
    const after = createHarness({ workflows: { W: changed }, store: timed });
    const instance = await after.workflows.W.get("x");
    await instance.pause();
    await instance.resume();
    await after.runUntilIdle();
    const explanation = await instance.explain();
    expect(explanation).toMatchObject({ cause: "sleeping", step: "new", otherWaits: 0 });
    expect(explanation.sentence).toContain(`step "old" is not called any more`);
  });
});

/** Each cause is brought about by an engine; `explain` names it, and another one once it is dealt with. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createEngine,
  defineTopic,
  defineWorkflow,
  WorkflowError,
  type WorkflowStep,
} from "../index.ts";
import type { StepRetries } from "../authoring/step-options.ts";
import type { Cause } from "../core/explain/explanation.ts";
import { createHarness } from "../testing/harness.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";

const news = defineTopic({ name: "news" });
const callbacks = {
  signingKeys: ["a-secret-of-the-caller-that-nobody-else-has"],
  url: "https://explain.example/api",
};
const never = (): Promise<never> => new Promise(() => {});

describe.each(LOCAL_STORES)("S8-003 explain on %s", (_name, openStore) => {
  let timed: TimedStore;
  let plays = 0;
  beforeAll(async () => {
    timed = await openStore();
  });
  afterAll(() => timed.teardown());

  /** An instance of a workflow of its own. */
  async function play(
    run: (step: WorkflowStep) => Promise<unknown>,
    options: { readonly delay?: string; readonly runRetries?: StepRetries } = {},
  ) {
    plays += 1;
    const name = `w${plays}`;
    const { delay, ...config } = options;
    const workflow = defineWorkflow({ name, ...config }, async (_event, step) => run(step));
    const child = defineWorkflow({ name: `child-${name}` }, async (_event, step) =>
      step.waitForEvent("go", { type: "go" }),
    );
    const harness = createHarness({
      workflows: { W: workflow, CHILD: child },
      topics: [news],
      callbacks,
      store: { store: timed.store, clock: timed.clock },
    });
    const create = { id: "x", ...(delay === undefined ? {} : { delay }) } as {
      readonly id: string;
    };
    const instance = await harness.workflows.W.create(create);
    const explain = () => harness.engine.explainInstance(name, "x");
    /** The cause is this, and the sentence says so. */
    const expects = async (cause: Cause, says: string, has: object = {}): Promise<void> => {
      const explanation = await explain();
      expect(explanation).toMatchObject({ cause, ...has });
      expect(explanation.sentence).toContain(says);
    };
    return { name, workflow, harness, instance, explain, expects };
  }

  /** Begins a tick whose body does not end, and comes back when it runs. */
  async function begin(run: (body: () => Promise<unknown>) => ReturnType<typeof play>): Promise<{
    readonly played: Awaited<ReturnType<typeof play>>;
    readonly release: () => void;
    readonly tick: Promise<unknown>;
  }> {
    let release = (): void => {};
    let begun = (): void => {};
    const isRunning = new Promise<void>((resolve) => (begun = resolve));
    const played = await run(() => {
      begun();
      return new Promise<void>((resolve) => (release = resolve));
    });
    const tick = played.harness.tick();
    await isRunning;
    return { played, release: () => release(), tick };
  }

  test("S8-003 starts later; then due, and no runner has claimed it; then complete", async () => {
    const { harness, expects } = await play(async () => "done", { delay: "1 hour" });
    await expects("startsLater", "to start later, in 1 hour");
    await harness.clock.advance(3_605_000);
    await expects("due", "It has been due for 5 seconds, and no runner has claimed it", {
      dueForMs: 5000,
    });
    await harness.runUntilIdle();
    await expects("complete", "It is complete", { status: "complete" });
  });

  test("S8-003 sleeps until its instant", async () => {
    const { harness, expects, explain } = await play((step) => step.sleep("nap", "90 minutes"));
    await harness.runUntilIdle();
    await expects("sleeping", `sleeps at step "nap", in 1 hour 30 minutes`, { step: "nap" });
    const explanation = await explain();
    expect("until" in explanation && explanation.until).toBe(explanation.now + 5_400_000);
    await harness.clock.advance(5_400_000);
    await expects("due", "due for 0 ms");
  });

  test("S8-003 waits for an event: none was sent, only others were, it came; payloads are not told", async () => {
    const { name, harness, expects, explain } = await play((step) =>
      step.waitForEvent("approval", { type: "approved", timeout: "1 day" }),
    );
    await harness.runUntilIdle();
    await expects(
      "waitsForEvent",
      `for an event of type "approved", which times out in 1 day; no event was sent`,
    );
    await harness.sendEvent(name, "x", { type: "aproved", payload: "a-secret" });
    await expects("waitsForEvent", `only others that it has not taken: 1 of type "aproved"`, {
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
    const { name, harness, expects } = await play((step) =>
      step.receive("batch", { types: ["a"], count: 3, min: 3, timeout: "1 hour" }),
    );
    await harness.runUntilIdle();
    await harness.sendEvent(name, "x", { type: "a" });
    await harness.runUntilIdle();
    await expects("waitsForEvent", `1 of type "a" came already, and it takes more`);
  });

  test("S8-003 waits for its callback, whose token is not told", async () => {
    let token = "";
    const { harness, expects, explain } = await play(async (step) => {
      const callback = await step.callback("signature", { timeout: "1 hour" });
      token = callback.token;
      return callback.payload();
    });
    await harness.runUntilIdle();
    await expects("waitsForCallback", `waits at step "signature" for its callback`);
    expect(JSON.stringify(await explain())).not.toContain(token);
  });

  test("S8-003 waits for a message of a topic", async () => {
    const { harness, expects } = await play((step) => step.waitForTopic("hear", news));
    await harness.runUntilIdle();
    await expects("waitsForTopic", `a message of the topic "news", which times out in 1 day`);
    await harness.engine.emit(news);
    await harness.runUntilIdle();
    await expects("complete", "It is complete");
  });

  test("S8-003 waits for a child: named, with its status", async () => {
    plays += 1;
    const childName = `kid${plays}`;
    const child = defineWorkflow({ name: childName }, async (_event, step) =>
      step.waitForEvent("go", { type: "go" }),
    );
    const parent = defineWorkflow({ name: `parent${plays}` }, async (_event, step) =>
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

  test("S8-003 retries a step at an instant, with its last error", async () => {
    const { harness, expects } = await play((step) =>
      step.do("charge", { retries: { limit: 3, delay: "1 minute", backoff: "constant" } }, () => {
        throw new RangeError("card declined");
      }),
    );
    await harness.runUntilIdle();
    await expects(
      "retryingStep",
      `Step "charge" failed at attempt 1 of 4 with RangeError: "card declined"`,
      {
        attempts: 1,
        maxAttempts: 4,
        error: { name: "RangeError", message: "card declined" },
      },
    );
    await harness.clock.advance(120_000);
    await expects("due", "no runner has claimed it");
  });

  test("S8-003 begins again as a whole; then failed for good", async () => {
    const { harness, expects } = await play(
      () => {
        throw new TypeError("whole");
      },
      { runRetries: { limit: 1, delay: "10 minutes", backoff: "constant" } },
    );
    await harness.runUntilIdle();
    await expects(
      "runRetry",
      `Its run failed as a whole (1 time in a row) with TypeError: "whole"`,
      {
        retryCount: 1,
      },
    );
    await harness.clock.advance(1_200_000);
    await harness.runUntilIdle();
    await expects("errored", `It has failed with TypeError: "whole"`);
  });

  test("S8-003 paused; resumed, asked to end and not yet claimed; terminated", async () => {
    const { harness, instance, expects } = await play((step) => step.sleep("nap", "1 day"));
    await harness.runUntilIdle();
    await instance.pause();
    await expects("paused", "It is paused. Resume it");
    await instance.resume();
    await harness.runUntilIdle();
    await expects("sleeping", `sleeps at step "nap"`);
    await instance.cancel();
    await expects("endRequested", "It was asked to end (cancel) and is due", { request: "cancel" });
    await harness.runUntilIdle();
    await expects("terminated", "It was terminated");
  });

  test("S8-003 held; a pause is requested and carried out", async () => {
    const { played, release, tick } = await begin((body) =>
      play(async (step) => {
        await step.do("long", body);
        return step.sleep("nap", "1 day");
      }),
    );
    await played.expects("held", "A process holds it");
    await played.instance.pause();
    await played.expects("pauseRequested", "A pause is requested");
    release();
    await tick;
    await played.expects("paused", "It is paused");
  });

  test("S8-003 held and asked to end", async () => {
    const { played, release, tick } = await begin((body) => play((step) => step.do("long", body)));
    await played.instance.cancel();
    await played.expects(
      "endRequested",
      "the process that holds it has yet to bring it to its end",
    );
    release();
    await tick;
    await played.harness.runUntilIdle();
    expect(["complete", "terminated"]).toContain((await played.explain()).cause);
  });

  test("S8-003 its process died: held until the lease ends, then to be taken over, then in a crash loop", async () => {
    const { played } = await begin((body) => play((step) => step.do("kills", body)));
    const { harness, expects, instance, explain } = played;
    harness.restart();
    await expects("held", "by a lease that ends in 30 seconds");
    await harness.clock.advance(31_000);
    await expects("leaseEnded", "its lease ended 1 second ago, and it is due to be taken over");
    void harness.tick();
    while ((await explain()).cause === "leaseEnded") await new Promise(setImmediate);
    harness.restart();
    await harness.clock.advance(31_000);
    await expects("crashLoop", "2 processes in a row died while they held it", { lostLeases: 2 });
    await harness.engine.control(played.name, instance.id, "terminate");
    await expects("terminated", "It was terminated");
  });

  test("S8-003 a process without the workflow says so of one that is due; a name that nobody has is no instance", async () => {
    const { name, workflow, harness, expects } = await play((step) => step.sleep("nap", "1 hour"));
    const other = createEngine({ workflows: {}, store: timed.store, logger: { log: () => {} } });
    const look = await other.explainInstance(name, "x");
    expect(look).toMatchObject({ cause: "unregistered" });
    expect(look.sentence).toContain("not registered in this process");
    await expects("due", "no runner has claimed it");
    await harness.runUntilIdle();
    expect((await other.explainInstance(name, "x")).cause).toBe("sleeping");
    expect(workflow.name).toBe(name);
  });

  test("S8-003 a wait that changed code has left is not what it waits for", async () => {
    const { name, harness } = await play(async (step) => {
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

  test("S8-003 hostile names and ids are refused, and never reach the database", async () => {
    const { name, harness } = await play(never);
    const code = (workflowName: unknown, id: unknown) =>
      harness.engine.explainInstance(workflowName as string, id as string).then(
        () => null,
        (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
      );
    for (const hostile of [
      "\u0000",
      "a b",
      "x".repeat(10_000),
      "",
      "'; drop table x",
      null,
      1,
      {},
    ]) {
      expect(await code(hostile, "x")).toBe("WORKFLOW_NOT_FOUND");
      expect(await code(name, hostile)).toBe("INVALID_INSTANCE_ID");
    }
    expect(await code(name, "none")).toBe("INSTANCE_NOT_FOUND");
    expect(await code("nobody", "none")).toBe("WORKFLOW_NOT_FOUND");
    await harness.engine.control(name, "x", "terminate");
  });
});

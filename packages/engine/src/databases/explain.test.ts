/** An engine brings about each cause; `explain` names it, and another one once it is resolved. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, WorkflowError } from "../index.ts";
import { LOCAL_STORES, type TimedStore } from "./testing-stores.ts";
import { play } from "./testing-explain.ts";

const never = (): Promise<never> => new Promise(() => {});

describe.each(LOCAL_STORES)("S8-003 explain on %s", (_name, openStore) => {
  let timed: TimedStore;
  beforeAll(async () => {
    timed = await openStore();
  });
  afterAll(() => timed.teardown());

  test("S8-003 starts later; then due, and no runner has claimed it; then complete", async () => {
    const { harness, expects } = await play(timed, async () => "done", { delay: "1 hour" });
    await expects("startsLater", "starts later, in 1 hour");
    await harness.clock.advance(3_605_000);
    await expects("due", "It has been due for 5 seconds, and no runner has claimed it", {
      dueForMs: 5000,
    });
    await harness.runUntilIdle();
    await expects("complete", "It is complete", { status: "complete" });
  });

  test("S8-003 retries a step at an instant, with its last error", async () => {
    const { harness, expects } = await play(timed, (step) =>
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
      timed,
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
    const { harness, instance, expects } = await play(timed, (step) => step.sleep("nap", "1 day"));
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

  test("S8-003 a process without the workflow says so of one that is due; a name that nobody has is no instance", async () => {
    const { name, workflow, harness, expects } = await play(timed, (step) =>
      step.sleep("nap", "1 hour"),
    );
    const other = createEngine({ workflows: {}, store: timed.store, logger: { log: () => {} } });
    const look = await other.explainInstance(name, "x");
    expect(look).toMatchObject({ cause: "unregistered" });
    expect(look.sentence).toContain("not registered in this process");
    await expects("due", "no runner has claimed it");
    await harness.runUntilIdle();
    expect((await other.explainInstance(name, "x")).cause).toBe("sleeping");
    expect(workflow.name).toBe(name);
  });

  test("S8-003 hostile names and ids are refused, and never reach the database", async () => {
    const { name, harness } = await play(timed, never);
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

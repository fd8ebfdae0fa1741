/** Whole-workflow retries: `runRetries` of a workflow, from the error that its code throws to what others see of it. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, NonRetryableError, RetryableError, RollbackError } from "../index.ts";
import type { StepRetries } from "../authoring/step-options.ts";
import { createHarness } from "../testing/harness.ts";
import { SECOND, POLICY, type Author, openHarness, throwing } from "./testing-run-retries.ts";

const NO_RETRY = { retries: { limit: 0 } };

/** Plays one instance to its end. */
async function play(run: Author, runRetries: StepRetries = POLICY) {
  const opened = openHarness(run, runRetries);
  await opened.create({ id: "x" });
  await opened.harness.runThroughTime();
  return { ...opened, begun: [...opened.begun], end: await opened.status() };
}

describe("S6-024 a run that fails as a whole", () => {
  it("S6-024 begins again as a new run of its instance, until one completes or the limit is reached", async () => {
    let failures = 2;
    const done = await play(async (step) => {
      await step.do("a", () => 1);
      if ((failures -= 1) >= 0) throw Error("no");
      return "yes";
    });
    expect(done.end).toEqual({ status: "complete", output: "yes", runNumber: 3, retryCount: 2 });
    expect(done.begun).toEqual([0, 10, 20]);
    for (const runNumber of [1, 2, 3]) expect(await done.rows(runNumber)).toEqual(["a completed"]);
    const failed = await play(throwing(() => Error("no")));
    expect(failed.end).toMatchObject({ status: "errored", runNumber: 3, retryCount: 2 });
    expect(failed.end.error).toMatchObject({ message: "no" });
    expect(failed.begun).toEqual([0, 10, 20]);
  });

  it("S6-024 fails without the option, and with a limit of 0", async () => {
    const { end } = await play(
      throwing(() => Error("no")),
      { limit: 0 },
    );
    expect(end).toMatchObject({ status: "errored", runNumber: 1 });
    expect(end).not.toHaveProperty("retryCount");
  });

  it("S6-024 shows while it waits how often it has begun again, when it will, and what the last run failed with", async () => {
    const { harness, create, status } = openHarness(throwing(() => Error("no")));
    await create({ id: "x" });
    await harness.runUntilIdle();
    const startsAt = harness.clock.now() + 10 * SECOND;
    expect(await status()).toMatchObject({ status: "queued", runNumber: 2, retryCount: 1 });
    expect(await status()).toMatchObject({ startsAt, error: { message: "no" } });
    const { instances } = await harness.engine.listInstances("w", {});
    expect(instances).toMatchObject([{ id: "x", details: { retryCount: 1, startsAt } }]);
    const { level, fields } = harness.log.find(({ event }) => event === "run.failed") ?? {};
    expect(level).toBe("warn");
    expect(fields).toMatchObject({ runNumber: 1, retryCount: 0, willRetryInMs: 10 * SECOND });
  });

  it.each<[string, StepRetries, number[]]>([
    ["exponentially from 10 seconds on, if nothing is said", { limit: 3 }, [0, 10, 30, 70]],
    ["linearly", { ...POLICY, backoff: "linear", limit: 3 }, [0, 10, 30, 60]],
    ["by a function", { limit: 2, delay: (attempt) => attempt * 3000 }, [0, 3, 9]],
    ["at once", { limit: 2, delay: 0 }, [0]],
  ])("S6-024 waits %s", async (_name, policy, begun) => {
    expect(
      (
        await play(
          throwing(() => Error()),
          policy,
        )
      ).begun,
    ).toEqual(begun);
  });

  it("S6-024 has a policy for each error: shouldRetry and delay see what was thrown, and how many runs there were", async () => {
    const asked: unknown[] = [];
    let count = 0;
    const { end, begun } = await play(
      () => {
        throw (count += 1) < 3 ? Error("busy") : RangeError("never");
      },
      {
        limit: Infinity,
        shouldRetry: (error, attempt) => {
          asked.push([(error as Error).message, attempt]);
          return !(error instanceof RangeError);
        },
        delay: (_attempt, error) => ((error as Error).message === "busy" ? "1 minute" : 0),
      },
    );
    expect(asked).toEqual([
      ["busy", 1],
      ["busy", 2],
      ["never", 3],
    ]);
    expect(begun).toEqual([0, 60, 120]);
    expect(end).toMatchObject({ status: "errored", error: { message: "never" }, retryCount: 2 });
  });

  it.each<[string, Author, number[]]>([
    ["an error of the run", throwing(() => new RetryableError("", { retryAfter: "7 s" })), [0, 7]],
    [
      "an error that a step ended with",
      (step) =>
        step.do(
          "a",
          NO_RETRY,
          throwing(() => new RetryableError("", { retryAfter: 7000 })),
        ),
      [0, 7],
    ],
    ["an instant", throwing(() => Object.assign(Error(), { retryAfterMs: 4000 })), [0, 4]],
  ])("S6-024 waits as long as %s asks for", async (_name, author, begun) => {
    expect((await play(author, { ...POLICY, limit: 1 })).begun).toEqual(begun);
  });

  const step1: Author = (step) =>
    step.do(
      "a",
      throwing(() => new NonRetryableError("final")),
    );
  const finals: Readonly<Record<string, Author>> = {
    "that its code throws": throwing(() => new NonRetryableError("final")),
    "of a step": step1,
    "of a branch": (step) => step.join("j", { left: step1, right: () => 1 }),
    "behind a rollback": throwing(
      () => new RollbackError("final", { cause: new NonRetryableError("final") }),
    ),
  };
  it.each(Object.entries(finals))(
    "S6-024 never begins again after a NonRetryableError %s",
    async (_name, author) => {
      const asked: unknown[] = [];
      const shouldRetry = (error: unknown): boolean => asked.push(error) > 0;
      const { end, begun } = await play(author, { ...POLICY, shouldRetry });
      expect({ asked, begun, status: end.status }).toEqual({
        asked: [],
        begun: [0],
        status: "errored",
      });
    },
  );

  it.each<[string, Author]>([
    ["a step that is called in a wrong way", (step) => step.do("", () => 1)],
    ["an output that cannot be stored", () => () => 1],
  ])("S6-024 does not begin again for %s", async (_name, author) => {
    const { end } = await play(author);
    expect(end).toMatchObject({ status: "errored", runNumber: 1 });
  });

  it.each<[string, Partial<StepRetries>]>([
    ["shouldRetry", { shouldRetry: (() => Promise.reject(Error())) as never }],
    ["delay", { delay: throwing(() => Error("oops")) }],
  ])("S6-024 fails with the policy if %s gives no answer", async (option, policy) => {
    const { end } = await play(
      throwing(() => Error("no")),
      { limit: 1, ...policy },
    );
    expect(end).toMatchObject({ status: "errored", runNumber: 1 });
    expect(end.error).toMatchObject({ code: "INVALID_RETRY_POLICY", cause: { message: "no" } });
    expect(end.error?.details).toMatchObject({ workflowName: "w", option });
  });

  it("S6-024 refuses a policy that is none, and options it does not know, when it is declared or registered", () => {
    const run = () => 1;
    const declare = (runRetries: object) =>
      createHarness({ workflows: { W: defineWorkflow({ name: "w", runRetries } as never, run) } });
    expect(() => declare({ limit: -1 })).toThrow(/^runRetries \{"limit":-1\}/u);
    expect(() => declare({ limit: 1, delay: "soon" })).toThrow(/runRetries\.delay/u);
    expect(() => declare({ limit: 1, until: 1 })).toThrow(/until/u);
  });
});

describe("S6-024 what a run that begins again keeps", () => {
  it("S6-024 steps have the idempotency keys that they had; after a rollback they have others, since what they did is undone", async () => {
    const keysOf = async (fail: () => unknown) => {
      const keys: string[] = [];
      const undone: string[] = [];
      await play(async (step) => {
        const undo = (key: string): unknown => undone.push(key);
        await step.do("pay", { undo }, ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          return idempotencyKey;
        });
        throw fail();
      });
      return { keys, undone };
    };
    const plain = await keysOf(() => Error("no"));
    expect(plain).toEqual({ keys: Array(3).fill("w/x/1/pay"), undone: [] });
    const undone = await keysOf(() => new RollbackError("no"));
    const keys = ["w/x/1/pay", "w/x/2/pay", "w/x/3/pay"];
    expect(undone).toEqual({ keys, undone: keys });
  });

  it("S6-024 what was undone is undone before the next run begins, and stays in the history of its run", async () => {
    const log: string[] = [];
    const { end, rows } = await play(
      async (step) => {
        await step.do("pay", { undo: () => void log.push("undo") }, () => void log.push("pay"));
        throw new RollbackError("no");
      },
      { ...POLICY, limit: 1 },
    );
    expect(log).toEqual(["pay", "undo", "pay", "undo"]);
    expect(await rows(1)).toEqual(["pay completed", "pay/undo completed"]);
    expect(end).toMatchObject({ status: "errored", error: { code: "ROLLED_BACK" }, runNumber: 2 });
  });

  it("S6-024 an event that was sent and not taken is for the next run", async () => {
    const taken: unknown[] = [];
    const { harness, create, status } = openHarness(async (step) => {
      taken.push((await step.waitForEvent("w", { type: "go" })).payload);
      if (taken.length < 3) throw Error("no");
      return taken;
    });
    await create({ id: "x" });
    for (const payload of [1, 2]) await harness.sendEvent("w", "x", { type: "go", payload });
    await harness.runUntilIdle();
    await harness.sendEvent("w", "x", { type: "go", payload: 3 });
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "complete", output: [1, 2, 3], runNumber: 3 });
  });

  it("S6-024 a deadline spans all runs", async () => {
    const { harness, create, status, begun } = openHarness(throwing(() => Error("no")));
    await create({ id: "x", deadline: "15 seconds" });
    await harness.runThroughTime();
    expect([...begun]).toEqual([0, 10]);
    expect(await status()).toMatchObject({ status: "errored", runNumber: 3, retryCount: 2 });
    expect((await status()).error).toMatchObject({ code: "DEADLINE_EXCEEDED" });
  });

  it("S6-024 retry goes on with the last run, and gives it all its retries again; restart begins anew", async () => {
    let failures = 5;
    const { harness, create, status, begun } = openHarness(async (step) => {
      await step.do("a", () => 1);
      await step.do("b", NO_RETRY, () => {
        if ((failures -= 1) >= 0) throw Error("no");
      });
    });
    const instance = await create({ id: "x" });
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "errored", runNumber: 3, retryCount: 2 });
    await instance.retry();
    expect(await status()).not.toHaveProperty("retryCount");
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "complete", runNumber: 5, retryCount: 2 });
    expect([...begun]).toEqual([0, 10, 20, 30, 40]);
    await instance.restart();
    expect(await status()).toEqual({ status: "queued", runNumber: 6 });
  });
});

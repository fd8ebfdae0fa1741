/** What history shows of a step's attempts: when each started and ended, its error, and its process. */
import { expect, test } from "vitest";
import { defineWorkflow, NonRetryableError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

const fails = (message: string): never => {
  throw new TypeError(message);
};

test("S8-002 each attempt has its start, its end, its error and its runner, and the last one ends with the step", async () => {
  let count = 0;
  const flaky = defineWorkflow({ name: "flaky" }, async (_event, step) => {
    await step.do("call", { retries: { limit: 3, delay: 1000, backoff: "constant" } }, async () => {
      count += 1;
      await harness.clock.advance(40);
      return count < 3 ? fails(`no ${count}`) : "ok";
    });
  });
  const harness = createHarness({ workflows: { FLAKY: flaky }, runnerId: "web-1" });
  const begunAt = harness.clock.now();
  await harness.workflows.FLAKY.create({ id: "x" });
  await harness.runUntilIdle();
  expect((await harness.history("flaky", "x")).steps).toMatchObject([
    { status: "waiting", waitsFor: { kind: "nextAttempt", until: begunAt + 1040 } },
  ]);
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  await harness.clock.advance(1000);
  await harness.runUntilIdle();
  const [step] = (await harness.history("flaky", "x")).steps;
  const failed = (attempt: number, startedAt: number): unknown => ({
    attempt,
    startedAt,
    endedAt: startedAt + 40,
    runner: "web-1",
    error: { name: "TypeError", message: `no ${attempt}` },
  });
  expect(step).toMatchObject({
    status: "completed",
    attempts: 3,
    waitsFor: null,
    attemptStartedAt: begunAt + 2080,
    updatedAt: begunAt + 2120,
    runner: "web-1",
    failedAttempts: [failed(1, begunAt), failed(2, begunAt + 1040)],
  });
});

test("S8-002 a step that fails for good has its last attempt among those that failed", async () => {
  const hopeless = defineWorkflow({ name: "hopeless" }, (_event, step) =>
    step.do("call", () => {
      throw new NonRetryableError("never");
    }),
  );
  const harness = createHarness({ workflows: { HOPELESS: hopeless }, runnerId: "web-1" });
  const at = harness.clock.now();
  await harness.workflows.HOPELESS.create({ id: "x" });
  await harness.runUntilIdle();
  const error = { name: "NonRetryableError", message: "never" };
  expect((await harness.history("hopeless", "x")).steps).toMatchObject([
    {
      status: "errored",
      attemptStartedAt: at,
      failedAttempts: [{ attempt: 1, startedAt: at, endedAt: at, runner: "web-1", error }],
    },
  ]);
});

test("S8-002 an attempt that was lost with its process is told of with what a commit has said of it", async () => {
  let isHung = true;
  const stuck = defineWorkflow({ name: "stuck" }, async (_event, step) => {
    await step.do("first", () => 1);
    await step.do("once", { retries: { limit: 2, delay: 0 } }, () =>
      isHung ? new Promise<never>(() => {}) : "ok",
    );
  });
  const harness = createHarness({ workflows: { STUCK: stuck } });
  const begunAt = harness.clock.now();
  await harness.workflows.STUCK.create({ id: "x" });
  // The first lost body had only a name; the second had a row.
  for (const _loss of [1, 2]) {
    void harness.tick();
    await harness.clock.advance(0);
    harness.restart();
    await harness.clock.advance(60_000);
  }
  isHung = false;
  await harness.runUntilIdle();
  const step = (await harness.history("stuck", "x")).steps.find(({ name }) => name === "once");
  const lost = { endedAt: null, error: null };
  expect(step).toMatchObject({
    status: "completed",
    lostAttempts: 2,
    failedAttempts: [
      { ...lost, attempt: 1, startedAt: null, runner: null },
      { ...lost, attempt: 2, startedAt: begunAt + 60_000, runner: expect.stringMatching(/./) },
    ],
  });
});

test("S8-002 an attempt that its process had to stop is told of as lost, with its end", async () => {
  let isHung = true;
  const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
    step.do("work", () => (isHung ? new Promise<never>(() => {}) : "ok")),
  );
  const harness = createHarness({ workflows: { SLOW: slow }, runnerId: "web-1" });
  const begunAt = harness.clock.now();
  await harness.workflows.SLOW.create({ id: "x" });
  const loop = harness.engine.startLoop();
  await harness.clock.advance(70);
  const stopped = loop.stop({ graceMs: 30 });
  await harness.clock.advance(30);
  await stopped;
  isHung = false;
  await harness.runUntilIdle();
  expect((await harness.history("slow", "x")).steps).toMatchObject([
    {
      status: "completed",
      failedAttempts: [
        { attempt: 1, startedAt: begunAt, endedAt: begunAt + 100, runner: "web-1", error: null },
      ],
    },
  ]);
});

test("S8-002 of many attempts the last 20 are kept, each with the beginning of its error", async () => {
  const never = defineWorkflow({ name: "never" }, (_event, step) =>
    step.do("call", { retries: { limit: 25, delay: 0 } }, () => fails("é".repeat(5000))),
  );
  const harness = createHarness({ workflows: { NEVER: never } });
  await harness.workflows.NEVER.create({ id: "x" });
  await harness.runUntilIdle();
  const [step] = (await harness.history("never", "x")).steps;
  expect(step?.failedAttempts.map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 7),
  );
  expect(new Set(step?.failedAttempts.map(({ error }) => error?.message))).toEqual(
    new Set(["é".repeat(200)]),
  );
});

test("S8-002 a retry from outside goes on with the list, and its attempts begin at 1 again", async () => {
  let isBroken = true;
  const broken = defineWorkflow({ name: "broken" }, (_event, step) =>
    step.do("call", { retries: { limit: 1, delay: 0 } }, () => (isBroken ? fails("no") : "ok")),
  );
  const harness = createHarness({ workflows: { BROKEN: broken } });
  const instance = await harness.workflows.BROKEN.create({ id: "x" });
  await harness.runUntilIdle();
  isBroken = false;
  await instance.retry();
  await harness.runUntilIdle();
  const [step] = (await harness.history("broken", "x")).steps;
  expect(step).toMatchObject({ status: "completed", attempts: 1 });
  expect(step?.failedAttempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
});

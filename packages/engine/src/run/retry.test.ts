/** `instance.retry()`: how a failed run continues. */
import { expect, it } from "vitest";
import { defineWorkflow } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { ONCE, createFlaky } from "./testing-retry.ts";

it("S6-021 retry goes on from the failed step in the same run, with the same idempotency key", async () => {
  const { instance, retry, takeRan, keys } = await createFlaky(
    async (step, body) => [
      await step.do("reserve", body("reserve")),
      await step.do("charge", ONCE, body("charge")),
    ],
    "charge",
  );
  expect(await instance.status()).toMatchObject({ status: "errored", runNumber: 1 });
  expect(takeRan()).toEqual(["charge", "reserve"]);
  expect(await retry("charge")).toEqual({
    status: "complete",
    runNumber: 1,
    output: ["reserve", "charge"],
  });
  expect(takeRan()).toEqual(["charge"]);
  expect(keys.get("charge")?.size).toBe(1);
});

it("S6-021 a step that fails again has all its attempts, and can be retried again", async () => {
  const { harness, instance, retry, takeRan } = await createFlaky(
    (step, body) => step.do("a", { retries: { limit: 2, delay: "1 minute" } }, body("a")),
    "a",
  );
  await harness.runThroughTime();
  expect(takeRan()).toHaveLength(3);
  await retry();
  await harness.runThroughTime();
  expect(takeRan()).toHaveLength(3);
  const { steps } = await harness.history("w", "x");
  expect(steps).toMatchObject([{ status: "errored", attempts: 3 }]);
  await expect(instance.result()).rejects.toMatchObject({ message: "a is broken" });
  expect(await retry("a")).toMatchObject({ status: "complete" });
});

it("S6-021 what author code caught and went on from stays, and so does what it did then", async () => {
  const { retry, takeRan, harness } = await createFlaky(
    async (step, body) => {
      const first = await step.do("a", ONCE, body("a")).catch(() => step.do("b", body("b")));
      return [first, await step.do("c", ONCE, body("c"))];
    },
    "a",
    "c",
  );
  takeRan();
  expect(await retry("a", "c")).toMatchObject({ status: "complete", output: ["b", "c"] });
  expect(takeRan()).toEqual(["c"]);
  expect(harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
});

it("S6-021 a clean-up after the failure does not run twice", async () => {
  const { retry, takeRan } = await createFlaky(async (step, body) => {
    try {
      return await step.do("ship", ONCE, body("ship"));
    } catch (error) {
      await step.do("refund", body("refund"));
      throw new Error("not shipped", { cause: error });
    }
  }, "ship");
  expect(takeRan()).toEqual(["refund", "ship"]);
  expect(await retry()).toMatchObject({ status: "errored" });
  expect(takeRan()).toEqual(["ship"]);
  expect(await retry("ship")).toMatchObject({ status: "complete", output: "ship" });
  expect(takeRan()).toEqual(["ship"]);
});

it("S6-021 where author code threw, the code runs again over the history", async () => {
  const { retry, takeRan, code } = await createFlaky(async (step, body) => {
    await step.do("a", body("a"));
    throw new TypeError("a bug");
  });
  takeRan();
  expect(await retry()).toMatchObject({ status: "errored", error: { message: "a bug" } });
  code.run = (step, body) => step.do("a", body("a"));
  expect(await retry()).toMatchObject({ status: "complete", output: "a" });
  expect(takeRan()).toEqual([]);
});

it("S6-021 what the run's end closed goes on: a sleep ends when it would have, a wait takes its event", async () => {
  const { harness, instance, broken, retry, takeRan } = await createFlaky(async (step, body) => {
    const beside = [
      step.sleep("nap", "1 hour").then(() => "slept"),
      step.waitForEvent("word", { type: "word", timeout: "1 day" }).then(({ payload }) => payload),
    ];
    await step.sleep("soon", "1 minute");
    await step.do("a", ONCE, body("a"));
    return Promise.all(beside);
  }, "a");
  await harness.clock.advance(60_000);
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "errored" });
  await expect(instance.sendEvent({ type: "word", payload: 1 })).rejects.toMatchObject({
    code: "INSTANCE_TERMINAL",
  });
  await harness.clock.advance(7 * 86_400_000);
  takeRan();
  expect(await retry("a")).toMatchObject({ status: "waiting" });
  await instance.sendEvent({ type: "word", payload: 2 });
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete", output: ["slept", 2] });
  expect([...broken, ...takeRan()]).toEqual(["a"]);
});

it("S6-021 a wait that timed out waits its whole time again", async () => {
  const { harness, instance, retry } = await createFlaky((step) =>
    step.waitForEvent("word", { type: "word", timeout: "1 hour" }).then(({ payload }) => payload),
  );
  await harness.clock.advance(3_600_000);
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ error: { code: "EVENT_TIMEOUT" } });
  await harness.clock.advance(86_400_000);
  expect(await retry()).toMatchObject({ status: "waiting" });
  await harness.clock.advance(3_599_000);
  await harness.runUntilIdle();
  await instance.sendEvent({ type: "word", payload: "late" });
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "complete", output: "late" });
});

it("S6-021 a body that ran beside the failure and was cut off runs again; the old one is told to stop", async () => {
  const aborted: unknown[] = [];
  let isFirst = true;
  const { harness, retry } = await createFlaky(async (step, body) => {
    const beside = step.do("beside", ({ signal }) => {
      signal.addEventListener("abort", () => aborted.push("abort"));
      const isLast = !isFirst;
      isFirst = false;
      return isLast ? "beside" : new Promise<string>(() => {});
    });
    await step.do("a", ONCE, body("a"));
    return beside;
  }, "a");
  expect(aborted).toEqual(["abort"]);
  expect(await retry("a")).toMatchObject({ status: "complete", output: "beside" });
  const { steps } = await harness.history("w", "x");
  expect(steps.map(({ stepKey, attempts }) => `${stepKey} ${attempts}`).toSorted()).toEqual([
    "a 1",
    "beside 1",
  ]);
});

it("S6-021 a run that was given up as a crash loop has its lost leases forgotten", async () => {
  let isDeadly = true;
  const w = defineWorkflow({ name: "w" }, (_event, step) =>
    step.do("body", () => (isDeadly ? new Promise<string>(() => {}) : "alive")),
  );
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  for (let death = 0; death < 10; death += 1) {
    void harness.tick();
    harness.restart();
    await harness.clock.advance(700_000);
  }
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "CRASH_LOOP" } });
  isDeadly = false;
  await harness.engine.control("w", "x", "retry");
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "alive" });
  const { steps } = await harness.history("w", "x");
  expect(steps.at(-1)).toMatchObject({ stepKey: "body", attempts: 1, lostAttempts: 0 });
});

it("S6-021 a run longer than a page of steps goes on from its failed step", async () => {
  const { retry, takeRan } = await createFlaky(async (step, body) => {
    for (let count = 0; count < 12; count += 1)
      await step.do(`large ${count}`, () => "x".repeat(1_000_000));
    return step.do("a", ONCE, body("a"));
  }, "a");
  takeRan();
  expect(await retry("a")).toMatchObject({ status: "complete", output: "a" });
  expect(takeRan()).toEqual(["a"]);
});

it("S6-021 a retry of what has not failed is refused, and says what it is", async () => {
  const { harness, instance, retry } = await createFlaky((step) =>
    step.sleep("nap", "1 hour").then(() => 1),
  );
  const refused = { code: "INSTANCE_NOT_ERRORED" };
  await expect(instance.retry()).rejects.toMatchObject({
    ...refused,
    details: { status: "waiting" },
  });
  await harness.runThroughTime();
  await expect(retry()).rejects.toMatchObject({ ...refused, details: { status: "complete" } });
  await instance.restart();
  await instance.terminate();
  await expect(instance.retry()).rejects.toMatchObject({
    ...refused,
    details: { status: "terminated" },
  });
  await expect(harness.engine.control("w", "nobody", "retry")).rejects.toMatchObject({
    code: "INSTANCE_NOT_FOUND",
  });
});

it("S6-021 a step that the mended code no longer calls is told of, and ends with the run", async () => {
  const { code, retry, rows } = await createFlaky(
    (step, body) => step.do("old", ONCE, body("old")),
    "old",
  );
  code.run = (step, body) => step.do("new", body("new"));
  expect(await retry()).toMatchObject({
    status: "complete",
    output: "new",
    diverged: [{ kind: "notCalled", stepKey: "old" }],
  });
  expect((await rows()).toSorted()).toEqual(["new completed", "old errored"]);
});

it("S6-021 of steps that failed with the same redacted words, the one that failed the run is retried", async () => {
  let isBroken = true;
  const ran: string[] = [];
  const body = (name: string) => () => {
    ran.push(name);
    if (isBroken) throw new RangeError(`${name}: a secret`);
  };
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const charge = await step.do("charge", ONCE, body("charge")).catch((error: unknown) => error);
    await step.do("mail", ONCE, body("mail")).catch(() => undefined);
    if (charge !== undefined) throw new TypeError("no money", { cause: charge });
  });
  const harness = createHarness({
    workflows: { W: w },
    redactError: ({ code }) => ({
      name: "Error",
      message: "-",
      code,
      details: null,
      stack: null,
      cause: null,
    }),
  });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ status: "errored" });
  expect((await instance.status()).error).not.toHaveProperty("failedStep");
  isBroken = false;
  ran.length = 0;
  await instance.retry();
  await harness.runUntilIdle();
  expect([ran, (await instance.status()).status]).toEqual([["charge", "mail"], "complete"]);
});

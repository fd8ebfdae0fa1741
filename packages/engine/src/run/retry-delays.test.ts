/** Delays that an error sets. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, RetryableError } from "../index.ts";
import { FAKE_START } from "../testing/fake-time.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import type { StepBody } from "../authoring/step-options.ts";
import { start, run } from "./testing-retries.ts";

describe("S6-024 an error's own delay", () => {
  const throwing = (make: () => unknown): StepBody<never> => {
    return () => {
      throw make();
    };
  };

  it("goes before the policy's, which is not asked, and takes no jitter", async () => {
    const delay = (): never => {
      throw new TypeError("not to be asked");
    };
    const busy = throwing(() => new RetryableError("busy", { retryAfter: "3 seconds" }));
    const { delays, stepOf } = await run({ limit: 2, delay, jitter: 1 }, busy);
    expect(delays()).toEqual([3000, 3000]);
    expect(await stepOf()).toMatchObject({
      status: "errored",
      error: { name: "RetryableError", code: null, details: { retryAfterMs: 3000 } },
    });
  });

  it("an instant stays that instant, however long the body went on", async () => {
    const retryAfter = new Date(FAKE_START + 90_000);
    let fail = (): void => {};
    const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("s", ({ attempt }) =>
        attempt > 1
          ? harness.clock.now()
          : new Promise<never>((_resolve, reject) => {
              fail = () => reject(new RetryableError("busy", { retryAfter }));
            }),
      ),
    );
    const harness: Harness<{ W: typeof workflow }> = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    const ticking = harness.tick();
    await harness.clock.advance(20_000);
    fail();
    await ticking;
    expect((await harness.history("w", "x")).steps).toMatchObject([
      {
        nextRetryAt: FAKE_START + 90_000,
        error: { details: { retryAt: "2026-01-01T00:01:30.000Z" } },
      },
    ]);
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ output: FAKE_START + 90_000 });
  });

  it.each([
    ["of the past", () => new RetryableError("busy", { retryAfter: new Date(0) })],
    ["the first there is", () => new RetryableError("busy", { retryAfter: new Date(-8.64e15) })],
    ["no time", () => new RetryableError("busy", { retryAfterHeader: "0" })],
  ])("%s: at once", async (_what, make) => {
    const { attempts, status } = await run({ limit: 3 }, throwing(make));
    expect(attempts()).toBe(4);
    expect(status).toMatchObject({ status: "errored", error: { message: "busy" } });
  });

  it("does not overrule limit or shouldRetry", async () => {
    const busy = throwing(() => new RetryableError("busy", { retryAfter: 1 }));
    expect((await run({ limit: 0 }, busy)).attempts()).toBe(1);
    expect((await run({ limit: 5, shouldRetry: () => false }, busy)).attempts()).toBe(1);
  });

  it("any error may carry it; a field that is no such thing is not looked at", async () => {
    const withField = (fields: object) =>
      run(
        { limit: 1, delay: 7 },
        throwing(() => Object.assign(new TypeError("busy"), fields)),
      );
    expect((await withField({ retryAfterMs: 20.4 })).delays()).toEqual([20]);
    for (const strange of [
      { retryAfterMs: "20" },
      { retryAfterMs: -1 },
      { retryAfterMs: Infinity },
    ])
      expect((await withField(strange)).delays()).toEqual([7]);
    for (const retryAt of [5, "2030-01-01", new Date(Number.NaN), null, { getTime: () => 5 }])
      expect((await withField({ retryAt })).delays()).toEqual([7]);
  });

  it("is logged with the attempt", async () => {
    const retryAfter = new Date(FAKE_START + 90_000);
    const { harness } = await start(
      { limit: 1 },
      throwing(() => new RetryableError("busy", { retryAfter })),
    );
    const line = harness.log.find(({ event }) => event === "step.attempt_failed");
    expect(line?.fields).toMatchObject({ willRetryInMs: 90_000 });
  });
});

import { describe, expect, it } from "vitest";
import {
  defineWorkflow,
  NonRetryableError,
  WorkflowEntrypoint,
  WorkflowError,
  type WorkflowEvent,
  type WorkflowStep,
} from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { type Retries, boom, start, run, numbered } from "./testing-retries.ts";

describe("S6-024 retries.shouldRetry", () => {
  it("false fails the step at once, with the error that was thrown", async () => {
    const thrown = new TypeError("gone");
    const asked: unknown[] = [];
    const retries: Retries = {
      limit: 5,
      shouldRetry: (error, attempt) => {
        asked.push([error, attempt]);
        return false;
      },
    };
    const { attempts, caught, status } = await run(retries, () => {
      throw thrown;
    });
    expect(attempts()).toBe(1);
    expect(asked).toEqual([[thrown, 1]]);
    expect((asked[0] as unknown[])[0]).toBe(thrown);
    expect(caught).toEqual([
      expect.objectContaining({ code: "STEP_FAILED", message: "gone", cause: thrown }),
    ]);
    expect(status).toMatchObject({ status: "errored", error: { name: "TypeError" } });
  });

  it("is asked once for each attempt that may be followed by another, by its number", async () => {
    const asked: unknown[] = [];
    const shouldRetry = (error: unknown, attempt: number): boolean => {
      asked.push([String(error), attempt]);
      return true;
    };
    const { attempts, delays } = await run({ limit: 2, delay: 1000, shouldRetry }, numbered);
    expect(attempts()).toBe(3);
    expect(delays()).toEqual([1000, 2000]);
    expect(asked).toEqual([
      ["RangeError: no. 1", 1],
      ["RangeError: no. 2", 2],
    ]);
  });

  it("is asked of a timeout, and not of an error that is final anyway", async () => {
    const asked: unknown[] = [];
    const shouldRetry = (error: unknown): boolean => {
      asked.push(WorkflowError.is(error) ? error.code : error);
      return false;
    };
    const slow = defineWorkflow({ name: "slow" }, (_event, step) =>
      step.do(
        "s",
        { retries: { limit: 3, shouldRetry }, timeout: 1000 },
        () => new Promise(() => {}),
      ),
    );
    const harness = createHarness({ workflows: { SLOW: slow } });
    await harness.workflows.SLOW.create({ id: "x" });
    const ticking = harness.tick();
    await harness.clock.advance(1000);
    await ticking;
    expect(await harness.status("slow", "x")).toMatchObject({ status: "errored" });
    await run({ limit: 3, shouldRetry }, () => {
      throw new NonRetryableError("no");
    });
    await run({ limit: 3, shouldRetry }, () => () => "no data");
    expect(asked).toEqual(["STEP_TIMEOUT"]);
  });

  it("what was decided is not asked again: by no replay, and by no other deployment", async () => {
    let answer = true;
    let asked = 0;
    const shouldRetry = (): boolean => {
      asked += 1;
      return answer;
    };
    const { harness, stepOf, attempts } = await start({ limit: 9, delay: 1000, shouldRetry });
    answer = false;
    harness.restart();
    await harness.runUntilIdle();
    expect(await stepOf()).toMatchObject({ status: "waiting", attempts: 1 });
    expect(asked).toBe(1);
    await harness.clock.advance(1000);
    await harness.runUntilIdle();
    expect([attempts(), asked]).toEqual([2, 2]);
    expect(await stepOf()).toMatchObject({ status: "errored", attempts: 2, nextRetryAt: null });
  });

  it("a lost attempt is not asked about, and its number is not taken", async () => {
    const asked: number[] = [];
    const shouldRetry = (_error: unknown, attempt: number): boolean => asked.push(attempt) > 0;
    const bodies: (() => Promise<never>)[] = [() => new Promise(() => {}), async () => boom()];
    const told: number[] = [];
    const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("s", { retries: { limit: 1, delay: 0, shouldRetry } }, ({ attempt }) => {
        told.push(attempt);
        return (bodies.shift() ?? boom)();
      }),
    );
    const harness = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    void harness.tick();
    // After a renewal of the lease, the attempt has a row; after the lease's end, it is lost.
    await harness.clock.advance(20_000);
    harness.restart();
    await harness.clock.advance(30_000);
    await harness.runThroughTime();
    expect(told).toEqual([1, 2, 3]);
    expect(asked).toEqual([1]);
  });

  it("holds as a default of a workflow, of a class, and is replaced whole by the step's own", async () => {
    class Classy extends WorkflowEntrypoint {
      override async run(_event: WorkflowEvent<unknown>, step: WorkflowStep): Promise<unknown> {
        await step.do("own", { retries: { limit: 1, delay: 0 } }, boom).catch(() => {});
        return step.do("s", boom);
      }
    }
    const retries: Retries = { limit: 7, delay: () => 5, shouldRetry: (_error, n) => n < 3 };
    const workflow = defineWorkflow({ name: "f", retries }, (_event, step) => step.do("s", boom));
    const C = { name: "c", workflow: Classy, retries };
    const harness = createHarness({ workflows: { F: workflow, C } });
    await harness.workflows.F.create({ id: "x" });
    await harness.workflows.C.create({ id: "x" });
    await harness.runThroughTime();
    expect((await harness.history("f", "x")).steps).toMatchObject([{ name: "s", attempts: 3 }]);
    expect((await harness.history("c", "x")).steps).toMatchObject([
      { name: "own", attempts: 2 },
      { name: "s", attempts: 3, maxAttempts: 8 },
    ]);
  });
});

describe("S6-024 retries.delay as a function", () => {
  it("is asked for each delay by attempt and error; backoff has no say", async () => {
    const delay = (attempt: number, error: unknown): number =>
      error instanceof RangeError ? attempt * 100 : 1;
    const { delays } = await run({ limit: 3, delay, backoff: "exponential" }, numbered);
    expect(delays()).toEqual([100, 200, 300]);
  });

  it("takes text; jitter takes its share", async () => {
    const { delays } = await run({ limit: 3, delay: () => "10 seconds", jitter: 0.5 });
    for (const delayMs of delays()) {
      expect(delayMs).toBeGreaterThanOrEqual(5000);
      expect(delayMs).toBeLessThanOrEqual(10_000);
    }
    expect(delays()).toHaveLength(3);
  });

  it("a delay longer than a year is a year, as the growth of a backoff ends there", async () => {
    const { stepOf, harness } = await start({ limit: 1, delay: () => Number.MAX_VALUE });
    expect((await stepOf())?.nextRetryAt).toBe(harness.clock.now() + 365 * 86_400_000);
  });

  it.each<[string, Retries]>([
    ["by number", { limit: Infinity, delay: 0 }],
    ["by function", { limit: Infinity, delay: () => 0 }],
  ])("a delay of 0 without a limit is under command all the same, %s", async (_how, retries) => {
    let attempts = 0;
    const workflow = defineWorkflow({ name: "w" }, (_event, step) =>
      step.do("s", { retries }, () => {
        attempts += 1;
        boom();
      }),
    );
    const harness = createHarness({ workflows: { W: workflow } });
    const instance = await harness.workflows.W.create({ id: "x" });
    await harness.tick({ maxInstances: 50 });
    expect(attempts).toBe(50);
    await instance.terminate();
    await harness.runUntilIdle();
    expect([attempts, (await instance.status()).status]).toEqual([50, "terminated"]);
  });
});

import { describe, expect, it } from "vitest";
import {
  defineWorkflow,
  NonRetryableError,
  RetryableError,
  WorkflowEntrypoint,
  WorkflowError,
  type WorkflowEvent,
  type WorkflowStep,
  type WorkflowStepConfig,
} from "../index.ts";
import { FAKE_START } from "../testing/fake-time.ts";
import { createHarness, type Harness } from "../testing/harness.ts";
import type { StepBody } from "../authoring/step-options.ts";

type Retries = NonNullable<WorkflowStepConfig["retries"]>;

/** As a caller without types would write it. */
const untyped = (value: unknown): never => value as never;

const boom = (): never => {
  throw new TypeError("boom");
};

/** An instance of one step `s`, whose attempts are noted by their instants. */
async function start(retries: Retries, body: StepBody<unknown> = boom, timeout = 60_000) {
  const at: number[] = [];
  const caught: unknown[] = [];
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
    try {
      return await step.do("s", { retries, timeout }, (context) => {
        at.push(harness.clock.now());
        return body(context);
      });
    } catch (error) {
      caught.push(error);
      throw error;
    }
  });
  const harness: Harness<{ W: typeof workflow }> = createHarness({ workflows: { W: workflow } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  const delays = (): number[] => at.slice(1).map((instant, index) => instant - (at[index] ?? 0));
  const stepOf = async () => (await harness.history("w", "x")).steps[0];
  return { harness, delays, caught, stepOf, attempts: () => at.length };
}

/** The same, run as long as it goes on. */
async function run(...given: Parameters<typeof start>) {
  const started = await start(...given);
  await started.harness.runThroughTime();
  return { ...started, status: await started.harness.status("w", "x") };
}

/** That each attempt throws an error of its own, so that they can be told apart. */
const numbered: StepBody<never> = ({ attempt }) => {
  throw new RangeError(`no. ${attempt}`);
};

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
    // Beyond a renewal of the lease the attempt has a row, and beyond its end it is lost.
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

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("S6-024 a policy's function that gives no answer", () => {
  const fault = async (retries: object, option: string, fragment: string) => {
    const { attempts, caught, status, stepOf, harness } = await run(untyped(retries));
    const message = expect.stringMatching(
      new RegExp(`^retries\\.${option} of step "s" gave no answer: .*${fragment}`, "u"),
    );
    expect(attempts()).toBe(1);
    const own = { code: "INVALID_RETRY_POLICY", message };
    expect(status).toMatchObject({
      status: "errored",
      error: { ...own, details: { option, stepKey: "s" } },
    });
    expect(await stepOf()).toMatchObject({
      status: "errored",
      error: { ...own, cause: { name: "TypeError", message: "boom" } },
    });
    const [error] = caught as WorkflowError[];
    expect(error).toMatchObject({ ...own, details: { option, fault: expect.anything() } });
    expect(error?.cause).toMatchObject({
      code: "INVALID_RETRY_POLICY",
      cause: new TypeError("boom"),
    });
    const line = harness.log.find(({ event }) => event === "step.attempt_failed");
    expect(line?.fields).toMatchObject({ error: { ...own, cause: { message: "boom" } } });
  };

  it.each<[string, () => unknown, string]>([
    ["throws", () => JSON.parse("{"), "JSON"],
    [
      "throws what cannot be read",
      () => {
        throw revoked();
      },
      "",
    ],
    ["returns nothing", () => undefined, "undefined is not true or false"],
    ["returns a number", () => 1, "1 is not true or false"],
    ["returns text", () => "false", "false is not true or false"],
    ["returns a promise", async () => true, "is not true or false"],
    ["returns a promise that rejects", async () => boom(), "is not true or false"],
    ["returns what cannot be read", revoked, "is not true or false"],
  ])(
    "shouldRetry %s: the step fails at once, and keeps what was thrown",
    async (_what, shouldRetry, says) => {
      await fault({ limit: 5, shouldRetry }, "shouldRetry", says);
    },
  );

  it.each<[string, () => unknown, string]>([
    ["throws", () => JSON.parse("{"), "JSON"],
    ["returns nothing", () => undefined, "undefined; expected milliseconds"],
    ["returns a negative number", () => -1, "-1; expected milliseconds"],
    ["returns NaN", () => Number.NaN, "NaN; expected milliseconds"],
    ["never ends it", () => Infinity, "Infinity; expected milliseconds"],
    ["returns text that is no duration", () => "soon", '"soon"; expected milliseconds'],
    ["returns a Date", () => new Date(0), "expected milliseconds"],
    ["returns a promise that rejects", async () => boom(), "expected milliseconds"],
    ["returns what cannot be read", revoked, "expected milliseconds"],
  ])("delay %s: the step fails at once, and keeps what was thrown", async (_what, delay, says) => {
    await fault({ limit: 5, delay }, "delay", says);
  });

  it("gets what was thrown as it is, though nothing of it can be read", async () => {
    const asked: unknown[] = [];
    const thrown = revoked();
    const retries: Retries = {
      limit: 2,
      delay: (_attempt, error) => (asked.push(error), 1),
      shouldRetry: (error) => asked.push(error) > 0,
    };
    const { attempts, status } = await run(retries, () => {
      throw thrown;
    });
    expect(attempts()).toBe(3);
    expect(asked.every((one) => one === thrown) && asked.length === 4).toBe(true);
    expect(status).toMatchObject({ status: "errored" });
  });

  it("is told the same on every replay", async () => {
    const told: unknown[] = [];
    const workflow = defineWorkflow({ name: "w" }, async (_event, step) => {
      const retries = { limit: 3, shouldRetry: boom };
      await step.do("s", { retries }, numbered).catch((error: WorkflowError) => {
        const { code, message, cause } = error;
        told.push({ code, message, deep: String((cause as Error).cause) });
      });
      await step.sleep("nap", "1 hour");
    });
    const harness = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(told).toEqual([
      {
        code: "INVALID_RETRY_POLICY",
        message: 'retries.shouldRetry of step "s" gave no answer: boom',
        deep: "RangeError: no. 1",
      },
      told[0],
    ]);
  });

  it.each([true, "always", {}, null])(
    "shouldRetry: %j is refused where it is given",
    async (given) => {
      const retries = untyped({ limit: 1, shouldRetry: given });
      const refused = expect.objectContaining({ code: "INVALID_RETRY_POLICY" });
      const { attempts, caught } = await run(retries);
      expect([attempts(), caught]).toEqual([0, [refused]]);
      const workflow = defineWorkflow({ name: "w", retries }, () => 1);
      expect(() => createHarness({ workflows: { W: workflow } })).toThrow(refused);
    },
  );
});

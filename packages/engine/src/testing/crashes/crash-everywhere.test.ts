import { describe, expect, it } from "vitest";
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  RollbackError,
  type StepContext,
  type WorkflowStep,
} from "../../index.ts";
import { crashEverywhere } from "./crash-everywhere.ts";
import { assertNoFindings } from "./report.ts";
import { crash, expectClean, key, kinds } from "./testing-crashes.ts";

describe("crashEverywhere finds nothing in a correct workflow", () => {
  it("with steps and sleeps, whose process dies around each commit and behind each body", async () => {
    const run = async (step: WorkflowStep): Promise<string> => {
      const paid = await step.do("pay", key);
      await step.sleep("night", "1 day");
      return paid + (await step.do("ship", key));
    };
    const report = await crash(run);
    expectClean(report);
    // Two bodies, and the points before and after two commits.
    expect(report.pointCount).toBe(6);
    expect(() => assertNoFindings(report)).not.toThrow();
  });

  it("with retries and failures", async () => {
    let tries = 0;
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const retries = { limit: 9, delay: "1 minute" } as const;
      const flaky = await step.do("flaky", { retries }, (context) => {
        tries += 1;
        if (tries < 3) throw new Error("not yet");
        return key(context);
      });
      const failed = await step.tryDo("fail", () => {
        throw new NonRetryableError("never");
      });
      return [flaky, failed.ok];
    };
    expectClean(await crash(run, { setup: () => (tries = 0) }));
  });

  it("with events that come while its process is up or dead", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const { payload } = await step.waitForEvent<number>("first", { type: "go" });
      await step.do("pay", key);
      return [payload, await step.tryWaitForEvent("second", { type: "never" })];
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        await harness.clock.advance(1000);
        await instance.sendEvent({ type: "go", payload: 7 });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: [7, null] });
      },
    });
    expectClean(report);
  });

  it("with scopes, a loop whose rows are trimmed among them", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => [
      await step.race("race", {
        slow: (own) => own.sleep("nap", "1 hour"),
        fast: (own) => own.do("ask", key),
      }),
      await step.join("join", { a: (own) => own.do("x", key), b: (own) => own.do("x", key) }),
      await step.map("map", [1, 2, 3], (own, n) => own.do("m", (context) => n + key(context)), {
        concurrency: 2,
      }),
      await step.loop("loop", {
        state: 0,
        commitEvery: 2,
        keep: 0,
        run: async (own, n) => {
          await own.do("poll", key);
          await own.sleep("pause", "1 minute");
          return n < 5 ? Loop.continue(n + 1) : Loop.break(n);
        },
      }),
      (await step.try("try", (own) => own.do("t", key))).ok,
      step.random() < 2,
      step.version("v", 2),
    ];
    expectClean(await crash(run));
  });

  it("with a rollback", async () => {
    const run = async (step: WorkflowStep): Promise<never> => {
      const undo = (_result: string, context: StepContext): string => key(context);
      await step.do("flight", { undo }, key);
      await step.do("hotel", { undo: { run: undo, retries: { limit: 2 } } }, key);
      throw new RollbackError();
    };
    const report = await crash(run);
    expectClean(report);
    // Two bodies, two undos, and the commits around them.
    expect(report.pointCount).toBeGreaterThanOrEqual(10);
  });

  it("that ends with an error", async () => {
    const run = async (step: WorkflowStep): Promise<never> => {
      await step.do("pay", key);
      throw new NonRetryableError("no");
    };
    expectClean(await crash(run));
  });

  it("that throws what cannot be read", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const run = (step: WorkflowStep): Promise<unknown> =>
      step
        .race("r", { a: () => Promise.reject(proxy as Error) }, { settles: "first" })
        .catch(() => step.do("go on", key));
    expectClean(await crash(run));
  });

  it("that starts another one", async () => {
    const child = defineWorkflow({ name: "child" }, (_event, step) => step.do("c", key));
    const parent = defineWorkflow({ name: "w" }, (_event, step, { workflows }) =>
      step.do("start", async ({ idempotencyKey }) => {
        const started = await workflows["CHILD"]?.create({ idempotencyKey });
        return started?.id;
      }),
    );
    expectClean(await crashEverywhere(parent, { workflows: { CHILD: child } }));
  });

  it("with a step that may run once: it is lost with its process, and no fault", async () => {
    const run = (step: WorkflowStep): Promise<string> =>
      step.do("once", { retries: { limit: 0 } }, () => "done");
    expectClean(await crash(run));
  });

  it("with steps at once, which may end in another order", async () => {
    const run = (step: WorkflowStep): Promise<unknown> =>
      Promise.race(
        ["a", "b", "c"].map((name) => step.do(name, async (context) => name + key(context))),
      );
    expectClean(await crash(run));
  });

  it("that is paused, resumed and restarted from outside", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      await step.do("pay", key);
      await step.sleep("night", "1 day");
      return step.do("ship", key);
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        await instance.pause();
        await harness.runUntilIdle();
        await instance.resume();
        await instance.restart();
        await harness.runThroughTime();
      },
    });
    expectClean(report);
  });

  it("whose params and events have types", async () => {
    const typed = defineWorkflow({ name: "w" }, async (event, step) => {
      await step.do("pay", key);
      return event.payload;
    });
    expectClean(await crashEverywhere(typed, { params: { cents: 5 } }));
  });
});

describe("crashEverywhere itself", () => {
  it("plays no more crashes than it may, evenly spread, and says so", async () => {
    const run = async (step: WorkflowStep): Promise<void> => {
      for (let index = 0; index < 20; index += 1) await step.do(`s${index}`, () => 1);
    };
    const report = await crash(run, { maxCrashes: 6 });
    expect(report).toMatchObject({ crashCount: 6, isCutShort: true });
    expect(report.pointCount).toBeGreaterThan(40);
    expect(report.text).toContain("Cut short");
    const found = report.findings.map(({ stepPath }) => Number(stepPath?.slice(1)));
    expect(Math.max(...found)).toBeGreaterThan(10);
  });

  it("refuses options that it does not know, and counts that are none", async () => {
    await expect(crash(() => 1, { repeatable: [] } as object)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    for (const maxCrashes of [0, -1, 1.5, NaN, Infinity])
      await expect(crash(() => 1, { maxCrashes })).rejects.toThrow("an integer from 1");
  });

  it("throws what the scenario throws without a crash, and reports what it throws after one", async () => {
    const drive = (): Promise<never> => Promise.reject(new RangeError("wrong"));
    await expect(crash(() => 1, { drive })).rejects.toThrow("wrong");
    let charges = 0;
    const report = await crash(
      (step) => step.do("pay", (context) => key(context) + (charges += 1)),
      {
        setup: () => (charges = 0),
        drive: async (harness) => {
          await harness.runThroughTime();
          if (charges > 1) throw new RangeError("charged twice");
        },
      },
    );
    expect(kinds(report)).toEqual(["driveFailed"]);
    expect(report.findings[0]?.message).toContain("charged twice");
  });

  it("leaves the globals as they were, however it ends and however many are asked for at once", async () => {
    const [realDate, realRandom] = [Date, Math.random];
    const seen: unknown[] = [];
    const run = (step: WorkflowStep): Promise<string> =>
      step.do("pay", (context) => {
        const made = new realDate(0);
        seen.push(made instanceof Date, new Date(5).getTime(), new Date() instanceof realDate);
        return key(context);
      });
    await Promise.allSettled([
      crash(run),
      crash(run),
      crash(run, { drive: () => Promise.reject(new RangeError("wrong")) }),
    ]);
    expect(new Set(seen)).toEqual(new Set([true, 5]));
    expect([Date, Math.random]).toEqual([realDate, realRandom]);
    await crash(() => expect([Date, Math.random]).toEqual([realDate, realRandom]), {
      shiftGlobals: false,
    });
  });
});

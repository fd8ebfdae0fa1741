/** Nested programs that are cancelled, rewound, retried or run out of time, and whose process dies around each commit. */
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
import { crash, expectClean, key } from "./testing-crashes.ts";

const HOUR = 3_600_000;
const undo = (_result: unknown, context: StepContext): string => key(context);

describe("crashEverywhere of programs in one another that are steered", () => {
  it("S6-020 a cancel in the middle of a rollback changes nothing of it", async () => {
    const run = async (step: WorkflowStep): Promise<never> => {
      await step.do("first", { undo }, key);
      const retries = { limit: 3, delay: "1 hour" } as const;
      const failing = (_: unknown, context: StepContext): string => {
        if (context.attempt < 2) throw new TypeError(key(context));
        return key(context);
      };
      await step.do("second", { undo: { run: failing, retries } }, key);
      throw new RollbackError("off");
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        // After a crash, the rollback may be over by now, because its lease takes longer than the undo's delay.
        await instance.cancel().catch(() => null);
        await harness.runThroughTime();
        const { status, error } = await instance.status();
        expect([status, error?.code]).toEqual(["errored", "ROLLED_BACK"]);
      },
    });
    expectClean(report);
  });

  it("S6-022 a rewind into the middle of an iteration in a branch", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const joined = await step.join("j", {
        loop: (own) =>
          own.loop("l", {
            state: 0,
            run: async (inner, n) => {
              await inner.do("a", key);
              const { payload } = await inner.waitForEvent("e", { type: "e", timeout: "1 day" });
              await inner.do("b", key);
              return n === 2 ? Loop.break(payload) : Loop.continue(n + 1);
            },
          }),
        beside: (own) => own.sleep("nap", "30 minutes"),
      });
      await step.waitForEvent("last", { type: "last", timeout: "30 days" });
      return joined.loop;
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        for (const payload of [0, 1, 2]) await instance.sendEvent({ type: "e", payload });
        await harness.runThroughTime(HOUR);
        await instance.rewind("j/loop/l/~1/b");
        await harness.runThroughTime(HOUR);
        await instance.sendEvent({ type: "last" });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ status: "complete", output: 2 });
      },
      safeToRepeat: ["j/loop/l/b", "j/loop/l/a"],
    });
    expectClean(report);
  });

  it("S6-021 a retry from a step in a branch, with the keys that its bodies had", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      await step.do("before", key);
      const { payload: first } = await step.waitForEvent("first", { type: "e" });
      const both = await step.join("j", {
        a: (own) => own.do("a", key),
        b: async (own) => {
          await own.sleep("nap", "1 minute");
          return own.do("b", { retries: { limit: 0, delay: 0 } }, key);
        },
      });
      const { payload: last } = await step.waitForEvent("last", { type: "e" });
      if (last === "bad") throw new NonRetryableError("bad");
      return [first, both.a, last];
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        for (const payload of ["good", "bad"]) await instance.sendEvent({ type: "e", payload });
        await harness.runThroughTime(HOUR);
        await instance.retry({ from: "j/a/a" });
        await instance.sendEvent({ type: "e", payload: "late" });
        await harness.runThroughTime(HOUR);
        // The event that failed the run is back, and comes before the late one.
        expect(await instance.status()).toMatchObject({ status: "errored" });
      },
    });
    expectClean(report);
  });

  it("S6-020 S6-023 a deadline that passes while a clean-up is on its way", async () => {
    const run = async (step: WorkflowStep): Promise<void> => {
      try {
        await step.sleep("long", "1 day");
      } finally {
        await step.shielded.join("clean", {
          a: async (own) => {
            await own.sleep("slowly", "3 hours");
            void own.progress("a");
          },
          b: (own) => own.do("now", key),
        });
        await step.shielded.do("last", key);
      }
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        await instance.update({ deadline: "2 hours" });
        await instance.cancel();
        await harness.runThroughTime();
        expect((await instance.status()).status).toBe("terminated");
        const told: unknown[] = [];
        for await (const { value } of instance.stream()) told.push(value);
        expect(told).toEqual(["a"]);
      },
    });
    expectClean(report);
  });

  it("S6-021 a retry of a run whose child ran on takes that child's end", async () => {
    let fails = true;
    const CHILD = defineWorkflow({ name: "child" }, async (_event, step) => {
      await step.sleep("long", "3 hours");
      return "child";
    });
    const parent = defineWorkflow({ name: "w" }, async (_event, step) => {
      const { child } = await step.join("j", {
        child: (own) => own.invoke(CHILD, { id: "k" }),
        other: (own) => own.do("other", key),
      });
      await step.do("after", (context) => {
        if (fails) throw new NonRetryableError(key(context));
        return key(context);
      });
      return child;
    });
    const report = await crashEverywhere(parent, {
      workflows: { CHILD },
      setup: () => (fails = true),
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect((await instance.status()).status).toBe("errored");
        fails = false;
        await instance.retry();
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ status: "complete", output: "child" });
      },
    });
    expectClean(report);
  });
});

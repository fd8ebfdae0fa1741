/** Waits, children and clean-up inside scopes, whose process dies around each commit: each program ends as it does without a crash. */
import { describe, expect, it } from "vitest";
import {
  defineTopic,
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
const TOPIC = defineTopic({ name: "t" });
const undo = (_result: unknown, context: StepContext): string => key(context);

describe("crashEverywhere of waits in scopes", () => {
  it("S6-015 S6-003 branches that wait for a topic get one message each, and a wait that lost gets none", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const joined = await step.join("j", {
        a: async (own) => (await own.waitForTopic("w", TOPIC)).payload,
        b: async (own) => (await own.waitForTopic("w", TOPIC, { timeout: "2 days" })).payload,
        lost: async (own) => {
          const { winner } = await own.race("r", {
            topic: (lane) => lane.waitForTopic("w", TOPIC),
            clock: (lane) => lane.sleep("nap", 1000),
          });
          await own.emit(TOPIC, "hi");
          return winner;
        },
      });
      const next = await step.try("next", (own) =>
        own.waitForTopic("w", TOPIC, { timeout: "1 hour" }),
      );
      return [joined, next.ok || next.kind];
    };
    const report = await crash(run, {
      engine: { topics: [TOPIC] },
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        const output = [{ a: "hi", b: "hi", lost: "clock" }, "timeout"];
        expect(await instance.status()).toMatchObject({ output });
      },
    });
    expectClean(report);
  });

  it("S6-004 S6-013 children of a map with a bound, of which one may fail", async () => {
    const CHILD = defineWorkflow({ name: "child" }, async (event, step) => {
      await step.sleep("nap", 1000 * Number(event.payload));
      if (event.payload === 2) throw new NonRetryableError("no");
      return event.payload;
    });
    const parent = defineWorkflow({ name: "w" }, async (_event, step) => {
      const ends = await step.map(
        "m",
        [1, 2, 3, 4],
        (item, params) => item.invoke(CHILD, { params, id: `k${params}` }),
        { tolerate: 1, concurrency: 2 },
      );
      return ends.map((end) => (end.ok ? end.value : end.kind));
    });
    const report = await crashEverywhere(parent, {
      workflows: { CHILD },
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: [1, "failed", 3, 4] });
      },
    });
    expectClean(report);
  });

  it("S6-020 a loop in a race that is cancelled cleans up in its iteration, and then outside", async () => {
    const cleaned: string[] = [];
    const clean = (context: StepContext): void => {
      const done = `${context.stepKey} ${key(context).length > 0}`;
      if (!cleaned.includes(done)) cleaned.push(done);
    };
    const run = async (step: WorkflowStep): Promise<void> => {
      try {
        await step.race("r", {
          loop: (lane) =>
            lane.loop("l", {
              state: 0,
              run: async (own, n) => {
                try {
                  await own.sleep("nap", "1 hour");
                } catch (error) {
                  await own.shielded.do("clean", clean);
                  throw error;
                }
                return Loop.continue(n + 1);
              },
            }),
          event: (lane) => lane.waitForEvent("e", { type: "e", timeout: "9 days" }),
        });
      } finally {
        await step.shielded.join("after", {
          a: (own) => own.do("a", clean),
          b: (own) => own.sleep("b", 1000),
        });
      }
    };
    const report = await crash(run, {
      setup: () => cleaned.splice(0),
      drive: async (harness, instance) => {
        await harness.runThroughTime(1.5 * HOUR);
        await instance.cancel();
        await harness.runThroughTime();
        expect((await instance.status()).status).toBe("terminated");
        expect(cleaned).toEqual(["r/loop/l/~1/clean true", "after/a/a true"]);
      },
    });
    expectClean(report);
  });

  it("S6-023 S6-009 a deadline that passes between the attempts of an undo stops none of it", async () => {
    const run = async (step: WorkflowStep): Promise<never> => {
      await step.do("first", { undo }, key);
      const failing = (_: unknown, context: StepContext): string => {
        if (context.attempt < 3) throw new TypeError(key(context));
        return key(context);
      };
      const retries = { limit: 9, delay: "1 hour" } as const;
      await step.do("second", { undo: { run: failing, retries } }, key);
      throw new RollbackError("off");
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await instance.update({ deadline: "90 minutes" });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
      },
    });
    expectClean(report);
  });
});

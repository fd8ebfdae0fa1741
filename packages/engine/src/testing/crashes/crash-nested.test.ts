/** Programs with nested kinds of steps, whose process dies around each commit: each ends as it does without a crash. */
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

const ODD = ["a/b", "~0", "n#2", "50%", "🚀 ok", "__proto__", "%2F"] as const;

describe("crashEverywhere of programs in one another", () => {
  it("S6-009 S6-011 a race in a map in a loop in a try with undo and a version in a branch", async () => {
    const undone: string[] = [];
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const tried = await step.try("t", (own) =>
        own.loop("l", {
          state: 0,
          commitEvery: 1,
          keep: 0,
          run: async (inner, n) => {
            await inner.map(
              "m",
              [1, 2],
              async (item, one) => {
                if (item.version("way", 2) === 2) await item.do("new", { undo }, key);
                await item.race("r", {
                  slow: (lane) => lane.sleep("nap", "1 hour"),
                  fast: async (lane) => {
                    const context = (result: string, { stepKey }: StepContext): void =>
                      void undone.push(stepKey + result.slice(0, 0));
                    await lane.do("ask", { undo: context }, key);
                    void lane.progress(`${n} ${one}`);
                  },
                });
              },
              { concurrency: 1 },
            );
            if (n === 1) throw new RollbackError("off");
            return Loop.continue(n + 1);
          },
        }),
      );
      if (!tried.ok && tried.kind === "rollback") throw tried.error;
      return tried.ok;
    };
    const report = await crash(run, {
      setup: () => undone.splice(0),
      safeToRepeat: ["t/l/m/1/r/fast/ask/undo", "t/l/m/0/r/fast/ask/undo"],
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
        const order = [...new Set(undone)];
        expect(order).toEqual([
          "t/l/~1/m/1/r/fast/ask/undo",
          "t/l/~1/m/0/r/fast/ask/undo",
          "t/l/~0/m/1/r/fast/ask/undo",
          "t/l/~0/m/0/r/fast/ask/undo",
        ]);
        const told: unknown[] = [];
        for await (const { value } of instance.stream()) told.push(value);
        expect(told).toEqual(["0 1", "0 2", "1 1", "1 2"]);
      },
    });
    expectClean(report);
  });

  it("S6-014 a batch in a race that loses leaves its events to the next one, in their order", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const race = await step.race("r", {
        batch: (own) => own.receive("three", { types: ["go"], min: 3, count: 3, timeout: "1 day" }),
        clock: (own) => own.sleep("nap", "1 hour"),
      });
      const next = await step.receive("two", { types: ["go"], count: 5, timeout: "1 hour" });
      const none = await step.receive("none", { types: ["go"], count: 5, timeout: "1 hour" });
      return [race.winner, next.map(({ payload }) => payload), none];
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        for (const payload of [1, 2]) await instance.sendEvent({ type: "go", payload });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: ["clock", [1, 2], []] });
      },
    });
    expectClean(report);
  });

  it("S6-014 an answer that comes after a wait's deadline, and one given twice", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const [first] = await step.receive("ask", { types: ["ask"], count: 1, timeout: "1 day" });
      const late = await step.try("t", (own) =>
        own.waitForEvent("x", { type: "x", timeout: 1000 }),
      );
      first?.reply("late");
      expect(() => first?.reply("twice")).toThrow(/was replied to already/);
      await step.sleep("nap", "1 minute");
      return late.ok ? "in time" : late.kind;
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        await instance.sendEvent({ type: "ask", payload: 1 });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ output: "timeout" });
      },
    });
    expectClean(report);
  });

  it("S6-010 S6-013 children in a map, of which one fails, and a rollback of the others", async () => {
    const CHILD = defineWorkflow({ name: "child" }, async (event, step) => {
      await step.do("book", { undo }, key);
      if (event.payload === 2) throw new NonRetryableError("full");
      if (event.payload === 3) await step.sleep("long", "30 days");
      return event.payload;
    });
    const parent = defineWorkflow({ name: "w" }, async (_event, step) => {
      const ends = await step.try("t", (own) =>
        own.race("r", {
          children: (lane) =>
            lane.map("kids", [1, 2, 3], (item, params) =>
              item.invoke(CHILD, { params, id: `k${params}`, onParentEnd: "rollback" }),
            ),
          clock: (lane) => lane.sleep("nap", "1 hour"),
        }),
      );
      await step.do("mine", { undo }, key);
      throw new RollbackError(ends.ok ? "off" : "failed");
    });
    const report = await crashEverywhere(parent, {
      workflows: { CHILD },
      drive: async (harness, instance) => {
        await harness.runThroughTime(2 * HOUR);
        expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
      },
    });
    expectClean(report);
  });

  it("S6-003 S6-017 a branch that loses has told what it told before", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const { winner } = await step.race("r", {
        loses: async (own) => {
          await own.progress("begun");
          await own.do("work", key);
          void own.progress("half");
          await own.sleep("long", "1 day");
          await own.progress("never");
        },
        wins: (own) => own.sleep("short", "1 hour"),
      });
      await step.progress(winner);
      return winner;
    };
    const report = await crash(run, {
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        const told: unknown[] = [];
        for await (const { value } of instance.stream()) told.push(value);
        expect(told).toEqual(["begun", "half", "wins"]);
      },
    });
    expectClean(report);
  });

  it("S3-012 S3-016 odd names of scopes, branches, items and steps", async () => {
    const run = async (step: WorkflowStep): Promise<unknown> => {
      const joined = await step.join(
        "j/~#%🚀",
        Object.fromEntries(
          ODD.map((name) => [name, (own: WorkflowStep) => own.do(name, () => name)]),
        ),
      );
      const mapped = await step.map(
        "m#2",
        ODD,
        async (own, name) => {
          await own.do(name, key);
          void own.progress(name);
          return name;
        },
        { key: (name) => name },
      );
      const long = await step.tryDo("x".repeat(10_240), () => 1);
      const inside = await step.tryDo("ok", () => step.random() < 2);
      return [Object.keys(joined).toSorted(), mapped, long.ok ? null : long.error.name, inside.ok];
    };
    const report = await crash(run, {
      safeToRepeat: [...ODD.map((name) => `j/~#%🚀/${name}/${name}`), "ok"],
      drive: async (harness, instance) => {
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({
          output: [ODD.toSorted(), [...ODD], "WorkflowError", true],
        });
        const told: unknown[] = [];
        for await (const { value } of instance.stream()) told.push(value);
        expect(new Set(told)).toEqual(new Set(ODD));
        expect(told).toHaveLength(ODD.length);
      },
    });
    expectClean(report);
  });
});

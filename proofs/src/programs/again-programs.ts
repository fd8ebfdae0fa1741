/** Runs that are tried again, taken back, copied, restarted or paused. */
import { defineWorkflow, Loop, NonRetryableError, RetryableError } from "@escapement/engine";
import { expect } from "vitest";
import { HOUR_MS, define, failing, key, wholeOf } from "./bodies.ts";
import type { Programs } from "./program.ts";

export const AGAIN_PROGRAMS: Programs = {
  "a retry of a run whose branches failed beside children, and a restart with the same keys":
    () => {
      const CHILD = defineWorkflow({ name: "child" }, async (_event, step) => {
        await step.sleep("nap", "1 hour");
        return "grown";
      });
      let fails = true;
      const keys = new Set<string>();
      return {
        workflow: define(async (step) => {
          const ends = await step.join("j", {
            child: (own) => own.invoke(CHILD),
            bad: (own) =>
              own.do("bad", (context) => {
                keys.add(context.idempotencyKey);
                if (fails) throw new NonRetryableError("not yet");
                return "good";
              }),
          });
          return [ends.child, ends.bad];
        }),
        scenario: {
          workflows: { CHILD },
          setup: () => {
            fails = true;
            keys.clear();
          },
          drive: async (harness, instance) => {
            await harness.runThroughTime();
            expect(await instance.status()).toMatchObject({ error: { code: "JOIN_FAILED" } });
            fails = false;
            await instance.retry();
            await harness.runThroughTime();
            expect(await instance.status()).toMatchObject({ output: ["grown", "good"] });
            await instance.restart();
            await harness.runThroughTime();
            expect(await instance.status()).toMatchObject({
              output: ["grown", "good"],
              runNumber: 2,
            });
            expect(keys.size).toBe(1);
          },
        },
      };
    },

  "a retry from a step before a child that completed and one that failed": () => {
    let fails = true;
    const keys = new Set<string>();
    const CHILD = defineWorkflow({ name: "child" }, async ({ payload }, step) => {
      if (fails && payload === "bad") throw new NonRetryableError("not yet");
      await step.do("work", ({ idempotencyKey }) => void keys.add(idempotencyKey));
      return payload;
    });
    return {
      workflow: define(async (step) => {
        await step.do("from", ({ idempotencyKey }) => void keys.add(idempotencyKey));
        await step.sleep("nap", "1 hour");
        const good = await step.invoke(CHILD, { name: "good", params: "good" });
        return [good, await step.invoke(CHILD, { name: "bad", id: "bad", params: "bad" })];
      }),
      scenario: {
        workflows: { CHILD },
        setup: () => {
          fails = true;
          keys.clear();
        },
        drive: async (harness, instance) => {
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ error: { code: "CHILD_FAILED" } });
          fails = false;
          await instance.retry({ from: "from" });
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({ output: ["good", "bad"] });
          expect(keys.size).toBe(3);
        },
      },
    };
  },

  "a rewind into an iteration, and a fork from the middle of a race": () => {
    return {
      workflow: define(async (step) => {
        const taken = await step.loop("l", {
          state: [] as number[],
          run: async (own, list: number[], n) => {
            await own.do("a", key);
            const { payload } = await own.waitForEvent<number>("e", { type: "e" });
            await own.do("b", key);
            const next = [...list, payload];
            return n === 2 ? Loop.break(next) : Loop.continue(next);
          },
        });
        const { winner } = await step.race("r", {
          work: async (own) => {
            await own.do("before", key);
            await own.sleep("nap", "1 hour");
            return own.do("after", key);
          },
          event: (own) => own.waitForEvent("late", { type: "late" }),
        });
        return [taken, winner];
      }),
      scenario: {
        safeToRepeat: ["l/a", "l/b", "r/work/after", "r/work/before"],
        drive: async (harness, instance) => {
          for (const payload of [1, 2, 3]) await instance.sendEvent({ type: "e", payload });
          await harness.runThroughTime(HOUR_MS / 2);
          await instance.rewind("l/~1/e");
          await harness.runThroughTime();
          const output = [[1, 2, 3], "work"];
          expect(await instance.status()).toMatchObject({ status: "complete", output });
          await wholeOf(harness).engine.fork("w", instance.id, "r/work/after", { id: "copy" });
          await harness.runThroughTime();
          expect(await wholeOf(harness).status("w", "copy")).toMatchObject({ output });
        },
      },
    };
  },

  "policies of retries by step and by run, and errors that say when": () => {
    const asked = new Set<string>();
    return {
      workflow: defineWorkflow(
        { name: "w", runRetries: { limit: 2, delay: "1 hour" } },
        async (_event, step) => {
          const first = await step.do(
            "policy",
            {
              retries: {
                limit: 9,
                delay: (attempt) => attempt * 60_000,
                shouldRetry: (error, attempt) => {
                  asked.add(`${(error as Error).message} ${attempt}`);
                  return true;
                },
              },
            },
            failing(2),
          );
          const second = await step.do(
            "says when",
            failing(1, () => new RetryableError("later", { retryAfter: "3 hours" })),
          );
          const third = await step.tryDo(
            "refuses",
            { retries: { limit: 9, delay: 0, shouldRetry: () => false } },
            failing(9),
          );
          const runs = await step.do("runs", (context) => {
            key(context);
            return context.attempt;
          });
          const { payload } = await step.waitForEvent<string>("go", { type: "go" });
          if (payload !== "end") throw new TypeError("this run");
          return [first, second, third.ok, runs > 0];
        },
      ),
      scenario: {
        setup: () => asked.clear(),
        drive: async (harness, instance) => {
          await instance.sendEvent({ type: "go", payload: "fail" });
          await instance.sendEvent({ type: "go", payload: "end" });
          await harness.runThroughTime();
          expect(await instance.status()).toMatchObject({
            status: "complete",
            output: ["at last", "at last", false, true],
            runNumber: 2,
          });
        },
      },
    };
  },

  "restartOrCreate, pause, resume and terminate, with preconditions": () => ({
    workflow: define(async (step) => {
      await step.do("first", key);
      const { payload } = await step.waitForEvent("go", { type: "go" });
      await step.do("last", key);
      return payload;
    }),
    scenario: {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        const again = (ifStatus: readonly ("complete" | "paused")[]) =>
          wholeOf(harness).engine.restartOrCreate("w", { id: instance.id, ifStatus });
        expect(await again(["complete"])).toMatchObject({ outcome: "unchanged" });
        await instance.pause();
        await instance.sendEvent({ type: "go", payload: 1 });
        await harness.runUntilIdle();
        expect((await instance.status()).status).toBe("paused");
        await instance.resume();
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ status: "complete", output: 1 });
        expect(await again(["complete"])).toMatchObject({ outcome: "restarted" });
        await expect(instance.pause({ ifRunNumber: 1 })).rejects.toMatchObject({
          code: "RUN_NUMBER_MISMATCH",
        });
        await harness.runUntilIdle();
        await instance.terminate({ ifRunNumber: 2 });
        expect(await instance.status()).toMatchObject({ status: "terminated", runNumber: 2 });
        await expect(instance.sendEvent({ type: "go" })).rejects.toMatchObject({
          code: "INSTANCE_TERMINAL",
        });
      },
    },
  }),
};

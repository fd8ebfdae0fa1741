/** Loops and scopes against the limits of a run. */
import { expect, it } from "vitest";
import { Loop } from "../../index.ts";
import { runOf } from "./testing-attack.ts";

it("a loop whose iterations await none of their steps stops no timer and is stopped", async () => {
  let turns = 0;
  let isHung = false;
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        run: (s) => {
          void s.do("forgotten", () => null);
          turns += 1;
          isHung ||= turns > 500;
          return isHung ? Loop.break() : undefined;
        },
      }),
    { limits: { maxIdleCalls: 50, maxStepsPerRun: 30 } },
  );
  await harness.runUntilIdle();
  expect(isHung).toBe(false);
  expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
});

it("a loop of tries that await nothing stops no timer and is stopped", async () => {
  let turns = 0;
  let isHung = false;
  const harness = await runOf(
    async (step) => {
      while (!isHung) {
        await step.try("t", (s) => void s.sleep("forgotten", "1 day"));
        turns += 1;
        isHung ||= turns > 500;
      }
    },
    { limits: { maxIdleCalls: 50 } },
  );
  await harness.runUntilIdle();
  expect(isHung).toBe(false);
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("a loop of scopes without steps is stopped", async () => {
  let turns = 0;
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        run: async (s) => {
          await s.join("nothing", {});
          turns += 1;
          return turns > 500 ? Loop.break() : undefined;
        },
      }),
    { limits: { maxIdleCalls: 50 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("repeats of a settled scope under cached names are stopped", async () => {
  let turns = 0;
  const harness = await runOf(
    async (step) => {
      while (turns < 500) {
        await step.join("j", { a: (s) => s.do("x", () => 1) });
        turns += 1;
      }
    },
    { limits: { maxIdleCalls: 50 }, repeatedNames: "cached" },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_SPINNING" } });
});

it("idle calls between steps are no more idle in a replay than the first time", async () => {
  const harness = await runOf(
    async (step) => {
      for (let round = 0; round < 10; round += 1) {
        await step.try("t", () => 1);
        await step.try("t", () => 1);
        await step.do("d", () => 1);
      }
      await step.sleep("night", "1 day");
      return "done";
    },
    { limits: { maxIdleCalls: 10 } },
  );
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
});

it("a loop has as many iterations as it likes, losers without a row included", async () => {
  const harness = await runOf(
    (step) =>
      step.loop("poll", {
        state: 0,
        commitEvery: 1,
        run: async (s, n) => {
          await s.race("r", {
            a: (b) => b.do("a", () => n),
            b: (b) => b.join("inner", { x: (c) => c.sleep("long", "1 day") }),
          });
          return n === 60 ? Loop.break(n) : Loop.continue(n + 1);
        },
      }),
    { limits: { maxStepsPerRun: 40 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: 60 });
});

it("sleeps that a loop removes do not raise the limit of steps", async () => {
  const harness = await runOf(
    async (step) => {
      await step.loop("nap", {
        state: 0,
        commitEvery: 1,
        keep: 0,
        run: async (s, n) => {
          await s.sleepUntil("past", 0);
          return n === 30 ? Loop.break(n) : Loop.continue(n + 1);
        },
      });
      for (let n = 0; n < 20; n += 1) await step.do("d", () => n);
    },
    { limits: { maxStepsPerRun: 10 } },
  );
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({ error: { code: "RUN_STEP_LIMIT" } });
});

it("steps that a branch calls and leaves without a row do not use up the limit of steps", async () => {
  const harness = await runOf(
    async (step) => {
      for (let n = 0; n < 20; n += 1) {
        await step.try("t", (s) => {
          void s.do("forgotten", () => null);
          void s.join("forgotten too", {});
        });
      }
      return "done";
    },
    { limits: { maxStepsPerRun: 10 } },
  );
  await harness.runUntilIdle();
  expect((await harness.status("w", "x")).error?.code ?? "none").toBe("none");
});

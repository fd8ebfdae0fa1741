/** Rollbacks that are stopped halfway, or requested in a branch. */
import { beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, Loop, RollbackError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createRun } from "../testing/one-run.ts";
import { createGate } from "./testing-rollback-attack.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => import("./rollback.ts"));

describe("S6-009 a rollback that is stopped on its way", () => {
  /** A run with three steps that is rolled back. The undo of the third reports its start, and ends when the test allows it. */
  async function createStopped() {
    const done: string[] = [];
    const [begun, mayEnd] = [createGate(), createGate()];
    const run = (name: string) => async (): Promise<void> => {
      done.push(name);
      begun.open();
      if (name === "c") await mayEnd.opened;
    };
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      for (const name of ["a", "b", "c"]) await step.do(name, { undo: run(name) }, () => name);
      throw new RollbackError();
    });
    const harness = createHarness({ workflows: { W } });
    await harness.workflows.W.create({ id: "x" });
    const control = (action: "pause" | "resume" | "restart" | "terminate") =>
      harness.engine.control("w", "x", action);
    return { harness, control, done, begun: begun.opened, mayEnd: mayEnd.open };
  }

  it("S6-009 goes on where it was when it is resumed after a pause", async () => {
    const { harness, control, done, begun, mayEnd } = await createStopped();
    const idle = harness.runUntilIdle();
    await begun;
    await control("pause");
    mayEnd();
    await idle;
    expect(await harness.status("w", "x")).toMatchObject({ status: "paused" });
    expect(done).toEqual(["c"]);
    await control("resume");
    await harness.runUntilIdle();
    expect(done).toEqual(["c", "b", "a"]);
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "ROLLED_BACK" } });
  });

  it("S6-009 undoes nothing more when it is terminated, and all of its own when it is restarted", async () => {
    const { harness, control, done, begun, mayEnd } = await createStopped();
    const idle = harness.runUntilIdle();
    await begun;
    await control("terminate");
    mayEnd();
    await idle;
    expect(done).toEqual(["c"]);
    await control("restart");
    await harness.runUntilIdle();
    expect(done).toEqual(["c", "c", "b", "a"]);
  });

  it("S6-009 goes on in ticks that start one body each", async () => {
    const { harness, done, mayEnd } = await createStopped();
    mayEnd();
    for (let tick = 0; tick < 6; tick += 1) {
      expect(await harness.status("w", "x")).not.toMatchObject({ status: "errored" });
      await harness.tick({ maxSteps: 1 });
    }
    await harness.runUntilIdle();
    expect(done).toEqual(["c", "b", "a"]);
    expect(await harness.status("w", "x")).toMatchObject({ error: { code: "ROLLED_BACK" } });
  });
});

describe("S6-009 a RollbackError in a branch", () => {
  it("S6-009 undoes what losers did when it loses, and nothing when others tolerate it", async () => {
    const done: string[] = [];
    const book = (step: Pick<WorkflowStep, "do">, name: string): Promise<string> =>
      step.do(name, { undo: () => void done.push(name) }, () => name);
    const fail = (): never => {
      throw new RollbackError();
    };
    const run = await createRun(async (step) => {
      const items = await step.map("all", [1, 2], (own, n) => (n === 1 ? fail() : book(own, "m")), {
        tolerate: 1,
      });
      expect(items).toMatchObject([{ ok: false, kind: "rollback" }, { ok: true }]);
      const won = await step.race("race", { bad: fail, good: (own) => book(own, "good") });
      expect(won).toMatchObject({ winner: "good" });
      expect(done).toEqual([]);
      await step.race(
        "first",
        { bad: fail, slow: (own) => book(own, "slow") },
        { settles: "first" },
      );
    });
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
    expect(done).toEqual(["good", "m"]);
    expect(await run.rows()).not.toContain("first/slow/slow completed");
  });
});

describe("S6-009 steps of one key under cached names", () => {
  it("S6-009 are undone once, with the undo of the last call", async () => {
    const done: string[] = [];
    const run = await createRun(
      async (step) => {
        await step.do("a", { undo: () => void done.push("first") }, () => 1);
        await step.do("a", { undo: () => void done.push("second") }, () => 1);
        throw new RollbackError();
      },
      { repeatedNames: "cached" },
    );
    await run.harness.runThroughTime();
    expect(done).toEqual(["second"]);
  });
});

it("S6-009 a retry continues with an undo that failed, though the scope around its step has completed", async () => {
  const done: string[] = [];
  const undo = (name: string) => ({
    run: () => {
      done.push(name);
      if (done.join() === "2,1") throw new Error("busy");
    },
    retries: { limit: 0 },
  });
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("0", { undo: undo("0") }, () => null);
    await step.loop("each", {
      state: 1,
      run: async (own, n) => {
        await own.do("book", { undo: undo(String(n)) }, () => null);
        return n === 2 ? Loop.break(n) : Loop.continue(n + 1);
      },
    });
    throw new RollbackError("no");
  });
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ error: { code: "ROLLBACK_FAILED" } });
  await instance.retry();
  await harness.runUntilIdle();
  expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  expect(done).toEqual(["2", "1", "1", "0"]);
});

/** Runs that are cancelled while processes die, while code does not end, and before anything has begun. */
import { describe, expect, it } from "vitest";
import { RollbackError } from "../index.ts";
import { createCleaningWorkflow } from "../testing/cleaning-workflow.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { createInstance } from "./testing-cancel.ts";

it("S6-020 as many calls as there can be are told at once, and the clean-up runs", async () => {
  const done: string[] = [];
  const { harness, instance, status } = await createInstance(async (step) => {
    const naps = Array.from({ length: 3000 }, (_, n) => step.sleep(`nap ${n}`, "1 day"));
    const ends = await Promise.allSettled(naps);
    const cancelled = ends.filter((end) => end.status === "rejected");
    await step.shielded.do("count", () => void done.push(String(cancelled.length)));
  });
  await harness.runUntilIdle();
  await instance.cancel();
  await harness.runUntilIdle();
  expect(done).toEqual(["3000"]);
  expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
});

it("S6-020 code that goes on for ever over cancelled steps is stopped, and terminated", async () => {
  const { harness, instance, status } = await createInstance(async (step) => {
    for (;;) await step.sleep("nap", "1 day").catch(() => {});
  });
  await harness.runUntilIdle();
  await instance.cancel();
  await harness.runUntilIdle();
  expect(await status()).toMatchObject({ status: "terminated", error: { code: "RUN_SPINNING" } });
});

it("S6-020 a RollbackError in the clean-up undoes what the run has done, by steps that nobody cancels", async () => {
  const done: string[] = [];
  const { harness, instance, status } = await createInstance(async (step) => {
    await step.do("pay", { undo: () => void done.push("refund") }, () => 1);
    try {
      await step.sleep("nap", "1 day");
    } catch (cause) {
      throw new RollbackError("cancelled", { cause });
    }
  });
  await harness.runUntilIdle();
  await instance.cancel();
  await harness.runUntilIdle();
  expect(done).toEqual(["refund"]);
  expect(await status()).toMatchObject({ status: "terminated", error: { code: "ROLLED_BACK" } });
});

describe("S6-020 a crash at any commit of a run that is cancelled", () => {
  /** Plays the run; its process is killed at the n-th commit. */
  async function playWithCrash(killAt: number, isApplied: boolean) {
    const { W, done } = createCleaningWorkflow();
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W } },
      { killAt, isApplied },
    );
    const instance = await harness.workflows.W.create({ id: "x" });
    const play = async (): Promise<void> => {
      await harness.runUntilIdle();
      await instance.cancel();
      await harness.runThroughTime();
    };
    await Promise.race([play(), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await harness.runUntilIdle();
    const { status, endRequested } = await harness.status("w", "x");
    if (status !== "terminated" && endRequested === undefined)
      await harness.engine.control("w", "x", "cancel");
    await harness.runThroughTime();
    const { steps } = await harness.history("w", "x");
    const rows = steps.map((step) => `${step.stepKey} ${step.status}`).toSorted();
    return { commits: commits(), done, rows, status: await harness.status("w", "x") };
  }

  it.each([false, true])(
    "S6-020 ends as one without a crash, and repeats nothing that is written down (applied: %s)",
    async (isApplied) => {
      const calm = await playWithCrash(0, isApplied);
      expect(calm.status).toEqual({ status: "terminated", runNumber: 1 });
      expect(calm.done).toEqual(["lock", "unlock", "CANCELLED CANCELLED CANCELLED"]);
      for (let killAt = 1; killAt <= calm.commits; killAt += 1) {
        const { done, rows, status } = await playWithCrash(killAt, isApplied);
        expect({ killAt, status }).toEqual({ killAt, status: calm.status });
        expect(rows).toEqual(calm.rows);
        expect([...new Set(done)]).toEqual(calm.done);
        expect(done.length).toBeLessThanOrEqual(isApplied ? 3 : 4);
      }
    },
  );
});

it("S6-020 a run whose only lease died, and that was paused then, cleans up when it is cancelled", async () => {
  const done: string[] = [];
  let isStuck = true;
  const { harness, instance, status } = await createInstance(async (step) => {
    try {
      await step.do("first", () => (isStuck ? new Promise<void>(() => {}) : undefined));
    } finally {
      await step.shielded.do("tidy", () => void done.push("tidy"));
    }
  });
  void harness.tick();
  await harness.clock.advance(0);
  await instance.pause();
  harness.restart();
  isStuck = false;
  await harness.clock.advance(60_000);
  await harness.tick();
  expect(await status()).toMatchObject({ status: "paused" });
  await harness.engine.control("w", "x", "cancel");
  await harness.runUntilIdle();
  expect([done, await status()]).toEqual([["tidy"], { status: "terminated", runNumber: 1 }]);
});

it("S6-020 a run that nobody has ever claimed ends without its code when it is cancelled", async () => {
  let calls = 0;
  const { harness, instance, status } = await createInstance(async () => void (calls += 1));
  await instance.pause();
  await harness.clock.advance(1000);
  await instance.cancel();
  await harness.runUntilIdle();
  expect([calls, await status()]).toEqual([0, { status: "terminated", runNumber: 1 }]);
});

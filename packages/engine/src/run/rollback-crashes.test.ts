/** Rollbacks while processes die, deploys come in between, and a retry continues. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, NonRetryableError, RollbackError } from "../index.ts";
import { createDeploys } from "../testing/deploys.ts";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { ONCE, createTrip } from "./testing-rollback.ts";

describe("S6-009 S6-021 retry", () => {
  it("S6-021 of a rollback that failed goes on with the undo that failed it, and then says that it is refused", async () => {
    const { done, book } = createTrip();
    let isBusy = true;
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      await book(step, "flight");
      const undo = (): void => {
        done.push("undo hotel");
        if (isBusy) throw new NonRetryableError("the hotel is closed");
      };
      await step.do("hotel", { undo }, () => 1);
      await book(step, "car");
      const paid = await step.tryDo("pay", ONCE, () => {
        done.push("pay");
        throw new Error("no money");
      });
      if (!paid.ok) throw new RollbackError("the trip is off", { cause: paid.error });
    });
    const harness = createHarness({ workflows: { W } });
    const instance = await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(await instance.status()).toMatchObject({ error: { code: "ROLLBACK_FAILED" } });
    isBusy = false;
    await instance.retry();
    await harness.runThroughTime();
    expect(done.slice(2)).toEqual([
      "pay",
      "undo id of car as car/undo",
      "undo hotel",
      "undo hotel",
      "undo id of flight as flight/undo",
    ]);
    expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
    await expect(instance.retry()).rejects.toMatchObject({
      code: "INSTANCE_NOT_ERRORED",
      message: expect.stringContaining("restart it"),
    });
  });
});

it("S6-010 code that has an undo no more is named, and nothing is undone", async () => {
  const { done, book } = createTrip();
  const deploy = createDeploys();
  const before = deploy(async (step) => {
    await book(step, "flight");
    await book(step, "hotel");
    await step.sleep("think", "1 day");
  });
  await before.workflows.W.create({ id: "x" });
  await before.runUntilIdle();
  const after = deploy(async (step) => {
    await step.do("flight", () => "");
    await book(step, "hotel");
    await step.sleep("think", "1 day");
    throw new RollbackError();
  });
  await after.runThroughTime();
  expect(done).toEqual(["flight", "hotel"]);
  expect(await after.status("w", "x")).toMatchObject({
    error: { code: "UNDO_MISSING", details: { stepKeys: ["flight"] } },
  });
});

it("S6-009 an undo that came with a later deploy undoes what an earlier one did", async () => {
  const { done, book } = createTrip();
  const deploy = createDeploys();
  const before = deploy(async (step) => {
    await step.do("flight", () => "the old id");
    await step.sleep("think", "1 day");
  });
  await before.workflows.W.create({ id: "x" });
  await before.runUntilIdle();
  const after = deploy(async (step) => {
    await book(step, "flight");
    await step.sleep("think", "1 day");
    throw new RollbackError();
  });
  await after.runThroughTime();
  expect(done).toEqual(["undo the old id as flight/undo"]);
});

describe("S6-009 a crash at any commit of a run that is rolled back", () => {
  /** Plays the run; its process is killed at the n-th commit. @returns how many commits there were, and what was done */
  async function playWithCrash(killAt: number, isApplied: boolean) {
    const { done, book } = createTrip();
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      await step.join("book", {
        flight: async (own) => {
          await book(own, "flight");
          await own.sleep("night", "1 hour");
          await book(own, "car");
        },
        hotel: async (own) => book(own, "hotel"),
      });
      await step.tryDo("pay", ONCE, () => {
        throw new Error("no money");
      });
      await book(step, "insurance");
      throw new RollbackError();
    });
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W } },
      { killAt, isApplied },
    );
    await harness.workflows.W.create({ id: "x" });
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await harness.runThroughTime();
    const { steps } = await harness.history("w", "x");
    return { commits: commits(), done, steps, status: await harness.status("w", "x") };
  }

  it.each([false, true])(
    "S6-009 repeats no undo that is written down, and ends as one without a crash (applied: %s)",
    async (isApplied) => {
      const calm = await playWithCrash(0, isApplied);
      expect(calm.done.slice(-4)).toEqual([
        "undo id of insurance as insurance/undo",
        "undo id of car as book/flight/car/undo",
        "undo id of hotel as book/hotel/hotel/undo",
        "undo id of flight as book/flight/flight/undo",
      ]);
      const [calmKeys, calmError] = [calm.steps.map(({ stepKey }) => stepKey), calm.status.error];
      for (let killAt = 1; killAt <= calm.commits; killAt += 1) {
        const { done, steps, status } = await playWithCrash(killAt, isApplied);
        expect(status.error).toEqual(calmError);
        expect(steps.map(({ stepKey }) => stepKey)).toEqual(calmKeys);
        const undone = done.filter((word) => word.startsWith("undo"));
        // Only the one undo that the crash interrupted may begin again.
        expect(new Set(undone).size).toBe(4);
        expect(undone.length).toBeLessThanOrEqual(isApplied ? 4 : 5);
        expect(undone.toSorted((a, b) => undone.indexOf(a) - undone.indexOf(b))).toEqual(undone);
        expect([...new Set(undone)]).toEqual(calm.done.slice(-4));
      }
    },
  );
});

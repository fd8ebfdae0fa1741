/** Runs that are terminated with a rollback while processes die. */
import { beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, type InstanceStatus } from "../index.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { createShop, ROLLED_BACK } from "./testing-asked-rollback.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => import("./rollback.ts"));

describe("S6-010 a crash at any commit of a run that is terminated with a rollback", () => {
  /** Plays the run; its process is killed at the n-th commit after the request. */
  async function playWithCrash(killAt: number, isApplied: boolean) {
    const { done, book } = createShop();
    const W = defineWorkflow({ name: "w" }, async (_event, step) => {
      await book(step, "flight");
      await step.race("first", {
        slow: (own) => own.waitForEvent("never", { type: "never" }),
        trip: async (own) => {
          await book(own, "hotel");
          await own.sleep("night", "1 hour");
          await book(own, "car");
          await Promise.all([own.sleep("day", "1 day"), book(own, "bus"), book(own, "boat")]);
        },
      });
      return "arrived";
    });
    let isAsked = false;
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { W } },
      { killAt, isApplied, isCounted: () => isAsked },
    );
    const instance = await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime(7_200_000);
    isAsked = true;
    await instance.terminate({ rollback: true });
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await harness.runThroughTime();
    return { commits: commits(), done, status: await harness.status("w", "x") };
  }

  const toShown = ({ status, error }: InstanceStatus): object => ({
    status,
    error: { ...error, stack: null },
  });

  it.each([false, true])(
    "S6-010 ends as one without a crash, and repeats no undo that is written down (applied: %s)",
    async (isApplied) => {
      const calm = await playWithCrash(0, isApplied);
      expect(calm.status).toMatchObject(ROLLED_BACK);
      expect(calm.done.slice(-5)).toEqual([
        "undo boat",
        "undo bus",
        "undo car",
        "undo hotel",
        "undo flight",
      ]);
      for (let killAt = 1; killAt <= calm.commits; killAt += 1) {
        const { done, status } = await playWithCrash(killAt, isApplied);
        expect(toShown(status)).toEqual(toShown(calm.status));
        expect([...new Set(done)]).toEqual(calm.done);
        expect(done.length).toBeLessThanOrEqual(calm.done.length + (isApplied ? 0 : 1));
      }
    },
  );
});

/** Ends of runs that begin again: who waits for them, and what a crash changes. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, RollbackError } from "../index.ts";
import type { InstanceStatus } from "../ports/instance-views.ts";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { POLICY, openHarness, throwing } from "./testing-run-retries.ts";

describe("S6-024 whoever waits for the end of a run that begins again", () => {
  it("S6-024 a parent hears of the last end alone", async () => {
    let failures = 2;
    const CHILD = defineWorkflow({ name: "child", runRetries: POLICY }, () => {
      if ((failures -= 1) >= 0) throw Error("no");
      return "yes";
    });
    const PARENT = defineWorkflow({ name: "w" }, (_event, step) =>
      step.invoke("child", { id: "c", name: "c" }),
    );
    const harness = createHarness({ workflows: { CHILD, PARENT } });
    await harness.workflows.PARENT.create({ id: "x" });
    await harness.runUntilIdle();
    expect((await harness.status("w", "x")).status).toBe("waiting");
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "yes" });
    expect(await harness.status("child", "c")).toMatchObject({ runNumber: 3, retryCount: 2 });
    const { events } = await harness.history("w", "x");
    expect(events).toHaveLength(1);
  });

  it("S6-024 result() gives what the last run ends with", async () => {
    let failures = 1;
    const { harness, create } = openHarness(() => {
      if ((failures -= 1) >= 0) throw Error("no");
      return "yes";
    });
    const instance = await create({ id: "x" });
    await harness.runUntilIdle();
    await expect(instance.result({ timeout: 0 })).rejects.toMatchObject({ code: "RESULT_TIMEOUT" });
    await harness.runThroughTime();
    expect(await instance.result({ timeout: 0 })).toBe("yes");
  });

  it.each(["cancel", "terminate"] as const)("S6-024 %s ends it while it waits", async (verb) => {
    const { harness, create, status, begun } = openHarness(throwing(() => Error("no")));
    const instance = await create({ id: "x" });
    await harness.runUntilIdle();
    await instance[verb]();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "terminated", runNumber: 2, retryCount: 1 });
    await harness.runThroughTime();
    expect([...begun]).toEqual([0]);
  });

  it.each(["cancel", "deadline"])(
    "S6-020 S6-024 a %s during a rollback that the code has begun: all is undone, the run fails with the code's own error, and does not begin again",
    async (asked) => {
      const undone: string[] = [];
      const retries = { limit: 1, delay: "1 hour" } as const;
      const { harness, create, status } = openHarness(async (step) => {
        const first = { undo: () => void undone.push("first") };
        await step.do("first", first, () => null);
        const run = (): void => {
          undone.push("second");
          if (undone.length === 1) throw Error("not yet");
        };
        await step.do("second", { undo: { run, retries } }, () => null);
        throw new RollbackError("off");
      });
      const instance = await create({ id: "x" });
      await harness.runUntilIdle();
      await (asked === "cancel" ? instance.cancel() : instance.update({ deadline: "1 minute" }));
      await harness.runThroughTime();
      const error = { code: "ROLLED_BACK", message: "off" };
      expect(await status()).toMatchObject({ status: "errored", runNumber: 1, error });
      expect(undone).toEqual(["second", "second", "first"]);
    },
  );

  it("S6-024 one that was asked to end does not begin again, whatever its code throws then", async () => {
    const { harness, create, status } = openHarness(async (step) => {
      await step.sleep("nap", "1 day").catch(() => {
        throw Error("clean-up");
      });
    });
    const instance = await create({ id: "x" });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runThroughTime();
    expect(await status()).toMatchObject({ status: "terminated", runNumber: 1 });
  });
});

describe("S6-024 a process that is killed", () => {
  /** A workflow whose first two runs fail. */
  async function playKilled(killAt: number, isApplied: boolean) {
    const effects: string[] = [];
    const W = defineWorkflow(
      { name: "w", runRetries: POLICY },
      async (_event, step): Promise<number> => {
        await step.do("a", ({ idempotencyKey }) => void effects.push(idempotencyKey));
        await step.sleep("nap", 1);
        const { runNumber } = await step.do("b", (): Promise<InstanceStatus> =>
          harness.status("w", "x"),
        );
        if (runNumber < 3) throw Error("no");
        return runNumber;
      },
    );
    const options = { workflows: { W } };
    const { harness, time, killed, commits } = createKilledHarness(options, { killAt, isApplied });
    await harness.workflows.W.create({ id: "x" });
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(0);
    await time.advance(60_000);
    await harness.runThroughTime();
    const runs = [];
    for (const runNumber of [1, 2, 3]) {
      const { steps } = await harness.history("w", "x", runNumber);
      runs.push(steps.map(({ stepKey, status }) => `${stepKey} ${status}`).toSorted());
    }
    return { state: { runs, status: await harness.status("w", "x") }, commits: commits(), effects };
  }

  it.each([false, true])(
    "S6-024 at any commit, begins each run once and comes to the same end (applied: %s)",
    async (isApplied) => {
      const { commits, state, effects } = await playKilled(0, isApplied);
      const end = { status: "complete", output: 3, runNumber: 3, retryCount: 2 };
      const steps = ["a completed", "b completed", "nap completed"];
      expect(state).toEqual({ status: end, runs: [steps, steps, steps] });
      expect(effects).toEqual(Array(3).fill("w/x/1/a"));
      expect(commits).toBeGreaterThan(5);
      for (let killAt = 1; killAt <= commits; killAt += 1) {
        const killed = await playKilled(killAt, isApplied);
        expect({ killAt, ...killed.state }).toEqual({ killAt, ...state });
        expect(new Set(killed.effects)).toEqual(new Set(effects));
        expect(killed.effects.length).toBeLessThanOrEqual(effects.length + 1);
      }
    },
  );
});

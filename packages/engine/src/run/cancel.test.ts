/** A cancelled run: what its code gets, what it may still do, and what a crash repeats of that. */
import { describe, expect, it } from "vitest";
import { CancelledError, defineWorkflow, Loop, RollbackError, WorkflowError } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { type Author, createInstance } from "./testing-cancel.ts";

const codeOf = (error: unknown): string => (WorkflowError.is(error) ? error.code : String(error));

describe("S6-020 a run that waits", () => {
  const waits: Readonly<Record<string, Author>> = {
    sleep: (step) => step.sleep("nap", "1 day"),
    sleepUntil: (step) => step.sleepUntil("nap", Date.now() + 1e9),
    waitForEvent: (step) => step.waitForEvent("nap", { type: "never" }),
    "the retry of a step": (step) =>
      step.do("nap", { retries: { limit: 3, delay: "1 day" } }, () => Promise.reject(new Error())),
  };
  it.each(Object.entries(waits))(
    "S6-020 is told at once in %s, and terminated with its error in history",
    async (_name, wait) => {
      const caught: unknown[] = [];
      const { harness, instance, rows, status } = await createInstance(async (step) => {
        try {
          await wait(step);
        } catch (error) {
          caught.push(error);
          throw error;
        }
      });
      await harness.runUntilIdle();
      await instance.cancel();
      expect(await status()).toMatchObject({ status: "queued", endRequested: "cancel" });
      await harness.runUntilIdle();
      expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
      expect(caught).toEqual([expect.any(CancelledError)]);
      expect(caught[0]).toMatchObject({ code: "CANCELLED", details: { stepKey: "nap" } });
      expect(await rows()).toEqual(["nap errored"]);
      await expect(instance.result()).rejects.toMatchObject({ code: "INSTANCE_TERMINATED" });
    },
  );

  it("S6-020 is terminated though its code catches everything and returns", async () => {
    const { harness, instance, status } = await createInstance(async (step) => {
      const { ok } = await step.try("all", (own) => own.sleep("nap", "1 day"));
      return ok;
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
  });

  it("keeps its own end if no step could tell its code: it waits in shielded ones only", async () => {
    const { harness, instance, status } = await createInstance(async (step) => {
      await step.shielded.waitForEvent("go", { type: "go" });
      return "done";
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "waiting", endRequested: "cancel" });
    await instance.sendEvent({ type: "go" });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: "done" });
  });

  it("is errored if what its clean-up should undo cannot be undone", async () => {
    const { harness, instance, status } = await createInstance(async (step) => {
      const undo = { undo: { retries: { limit: 0 }, run: () => Promise.reject(new Error("no")) } };
      await step.do("charge", undo, () => 1);
      await step.sleep("nap", "1 day").catch(() => {
        throw new RollbackError("cancelled");
      });
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({
      status: "errored",
      error: { code: "ROLLBACK_FAILED" },
    });
  });

  it("S6-020 whose clean-up fails is terminated all the same, and tells of it", async () => {
    const { harness, instance, status } = await createInstance(async (step) => {
      try {
        await step.sleep("nap", "1 day");
      } finally {
        await step.shielded.do("release", { retries: { limit: 0 } }, () => {
          throw new Error("no such lock");
        });
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    const error = { code: "STEP_FAILED", message: "no such lock" };
    expect(await status()).toMatchObject({ status: "terminated", error });
    const line = harness.log.find(({ event }) => event === "run.terminated");
    expect(line).toMatchObject({ level: "warn", fields: { error } });
  });
});

describe("S6-020 shielded steps", () => {
  it("S6-020 run, wait and have scopes of their own, in finally and beside what is cancelled", async () => {
    const done: string[] = [];
    const { harness, instance, rows, status } = await createInstance(async (step) => {
      try {
        await Promise.all([
          step.sleep("nap", "1 day"),
          step.shielded.sleep("safe", "1 hour").then(() => done.push("safe")),
        ]);
      } finally {
        await step.shielded.join("tidy", {
          a: (own) => own.do("one", () => void done.push("one")),
          b: async (own) => {
            await own.sleep("rest", "1 minute");
            await own.do("two", () => void done.push("two"));
          },
        });
        await step.do("unshielded", () => void done.push("never"));
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "waiting", endRequested: "cancel" });
    await instance.cancel();
    await harness.runThroughTime();
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
    expect(done).toEqual(["one", "two"]);
    expect(await rows()).toEqual([
      "nap errored",
      "safe errored",
      "tidy completed",
      "tidy/a/one completed",
      "tidy/b/rest completed",
      "tidy/b/two completed",
      "unshielded errored",
    ]);
  });

  it("S6-020 have the names of their place, and are like any other where nobody cancels", async () => {
    const { harness, rows, status } = await createInstance(async (step) => {
      await step.do("a", () => 1);
      await step.shielded.do("a", () => 2);
      return step.shielded.shielded.do("a", () => 3);
    });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: 3 });
    expect(await rows()).toEqual(["a completed", "a#2 completed", "a#3 completed"]);
  });
});

describe("S6-020 a run that is on its way", () => {
  it("S6-020 hears of it with its next commit: its bodies are aborted, and none begins", async () => {
    const seen: string[] = [];
    const { harness, instance, rows, status } = await createInstance(async (step) => {
      const long = step.do("long", ({ signal }) => {
        signal.addEventListener("abort", () => seen.push(String(signal.reason)));
        return new Promise(() => {});
      });
      const next = step
        .do("first", () => instance.cancel())
        .then(() => step.do("second", () => void seen.push("second")));
      const ends = await Promise.allSettled([long, next]);
      return ends.map((end) => end.status === "rejected" && seen.push(codeOf(end.reason)));
    });
    await harness.runUntilIdle();
    expect(seen).toEqual([expect.stringContaining("cancelled"), "CANCELLED", "CANCELLED"]);
    expect(await status()).toMatchObject({ status: "terminated" });
    expect(await rows()).toEqual(["first completed", "long errored", "second errored"]);
  });

  it("S6-020 hears of it with the commit that was to start bodies: those that are shielded start with another", async () => {
    const done: string[] = [];
    const { harness, instance, rows, status } = await createInstance(async (step) => {
      await step.do("first", () => instance.cancel());
      const once = { retries: { limit: 0 } };
      await Promise.allSettled([
        step.do("open", once, () => void done.push("open")),
        step.shielded.do("safe", once, () => void done.push("safe")),
        step.shielded.do("safer", () => void done.push("safer")),
      ]);
    });
    await harness.runUntilIdle();
    expect(done).toEqual(["safe", "safer"]);
    expect(await status()).toMatchObject({ status: "terminated" });
    expect(await rows()).toEqual([
      "first completed",
      "open errored",
      "safe completed",
      "safer completed",
    ]);
  });

  it("S6-020 hears of it by the renewal of its lease, if nothing else is committed", async () => {
    const seen: string[] = [];
    const { harness, instance, status } = await createInstance((step) =>
      step.do("long", ({ signal }) => {
        signal.addEventListener("abort", () => seen.push("aborted"));
        return new Promise(() => {});
      }),
    );
    const idle = harness.runUntilIdle();
    await harness.clock.advance(0);
    await instance.cancel();
    await harness.clock.advance(11_000);
    await idle;
    expect(seen).toEqual(["aborted"]);
    expect(await status()).toMatchObject({ status: "terminated" });
  });

  it("S6-020 and comes to its end before it hears of it, has that end", async () => {
    const { harness, instance, status } = await createInstance(async (step) => {
      await step.do("only", () => instance.cancel());
      return "done";
    });
    await harness.runUntilIdle();
    expect(await status()).toEqual({ status: "complete", runNumber: 1, output: "done" });
  });
});

describe("S6-020 an instance that has done nothing yet", () => {
  it("S6-020 is terminated, and its code does not run", async () => {
    let runs = 0;
    const { harness, instance, status } = await createInstance(() => (runs += 1));
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
    await instance.restart();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", runNumber: 2 });
    expect(runs).toBe(1);
  });

  it("S6-020 does not wait for its start, nor for anybody to resume it", async () => {
    const W = defineWorkflow({ name: "w" }, () => Promise.resolve(1));
    const harness = createHarness({ workflows: { W } });
    const late = await harness.workflows.W.create({ id: "late", delay: "1 day" });
    const paused = await harness.workflows.W.create({ id: "paused" });
    await paused.pause();
    await late.cancel();
    await paused.cancel();
    await harness.runUntilIdle();
    expect(await harness.status("w", "late")).toEqual({ status: "terminated", runNumber: 1 });
    expect(await harness.status("w", "paused")).toEqual({ status: "terminated", runNumber: 1 });
  });
});

it.each([0, 1, 2, 3])(
  "S6-020 is terminated though a loop has left behind what it was told, killed at commit %i after the cancel",
  async (killAt) => {
    const W = defineWorkflow({ name: "w" }, (_event, step) =>
      step.loop("rounds", {
        state: 0,
        commitEvery: 1,
        keep: 0,
        run: async (own, round) => {
          if (round === 3) return Loop.break("went on");
          if (round < 2) await own.sleep("nap", "1 day").catch(() => {});
          else await own.shielded.sleep("breath", "1 second");
          return Loop.continue(round + 1);
        },
      }),
    );
    let isAsked = false;
    const { harness, time, killed } = createKilledHarness(
      { workflows: { W } },
      { killAt, isApplied: true, isCounted: () => isAsked },
    );
    const instance = await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime(1000);
    isAsked = true;
    await instance.cancel();
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(60_000);
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toEqual({ status: "terminated", runNumber: 1 });
    const told = (await harness.history("w", "x")).steps.filter(({ type }) => type === "sleep");
    expect(told.length).toBeLessThan(2);
  },
);

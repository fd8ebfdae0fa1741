/** What a run does that was cancelled: what its code is told, what it may still do, and what of it a crash repeats. */
import { describe, expect, it } from "vitest";
import {
  CancelledError,
  defineWorkflow,
  Loop,
  RollbackError,
  WorkflowError,
  type WorkflowStep,
} from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { createCleaningWorkflow } from "../testing/cleaning-workflow.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";

type Author = (step: WorkflowStep) => unknown;

/** An instance of a function, and what a test does to it. */
async function createInstance(run: Author) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  const rows = async (): Promise<readonly string[]> =>
    (await harness.history("w", "x")).steps
      .map((step) => `${step.stepKey} ${step.status}`)
      .toSorted();
  return { harness, instance, rows, status: () => harness.status("w", "x") };
}

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

describe("S6-020 scopes of a run that is cancelled", () => {
  const scopes: Readonly<Record<string, Author>> = {
    join: (step) =>
      step.join("all", { a: (own) => own.sleep("z", "1 day"), b: (own) => own.do("d", () => 1) }),
    race: (step) =>
      step.race("any", { a: (own) => own.sleep("z", "1 day"), b: (own) => own.sleep("y", 9e7) }),
    map: (step) => step.map("each", [1, 2, 3], (own) => own.sleep("z", "1 day")),
    "tolerant map": (step) =>
      step.map("each", [1, 2, 3], (own) => own.sleep("z", "1 day"), {
        tolerate: "100%",
        concurrency: 1,
      }),
    loop: (step) =>
      step.loop("rounds", {
        run: async (own) => {
          await own.sleep("z", "1 day");
          return Loop.continue();
        },
      }),
  };
  it.each(Object.entries(scopes))("S6-020 throw what their steps do: %s", async (_name, scope) => {
    const caught: unknown[] = [];
    const { harness, instance, rows, status } = await createInstance(async (step) => {
      await Promise.resolve(scope(step)).catch((error: unknown) => caught.push(error));
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(caught).toEqual([expect.any(CancelledError)]);
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
    expect((await rows()).filter((row) => /pending|running|waiting/.test(row))).toEqual([]);
  });

  it("S6-020 as values they are cancelled, and what is called next is too", async () => {
    const kinds: string[] = [];
    const { harness, instance } = await createInstance(async (step) => {
      for (let round = 0; round < 3; round += 1) {
        const end = await step.try("nap", (own) => own.sleep("z", "1 day"));
        if (!end.ok) kinds.push(end.kind);
        const next = await step.tryDo("do", () => 1);
        if (!next.ok) kinds.push(next.kind);
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(kinds).toEqual(Array.from({ length: 6 }, () => "cancelled"));
  });
});

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
  /** Plays the run, with its process killed at the n-th commit. */
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

describe("S6-020 a branch that asks for a rollback", () => {
  const rollingBack: Readonly<Record<string, (step: WorkflowStep, both: Branches) => unknown>> = {
    join: (step, both) => step.join("all", both),
    "a join in a join": (step, both) =>
      step.join("outer", {
        inner: (own) => own.join("all", both),
        z: (own) => own.sleep("z", "1 day"),
      }),
    race: (step, both) => step.race("all", both),
    map: (step, both) => step.map("all", Object.values(both), (own, run) => run(own)),
  };
  type Branches = Readonly<Record<"a" | "b", (step: WorkflowStep) => Promise<void>>>;
  const undone: string[] = [];
  const author =
    (run: (step: WorkflowStep, both: Branches) => unknown): Author =>
    async (step) => {
      await step.do("book", { undo: () => void undone.push("book") }, () => 1);
      await run(step, {
        a: (own) => own.sleep("nap", "1 day"),
        b: (own) =>
          own.sleep("other", "1 day").catch((error: unknown) => {
            throw new RollbackError("give it back", { cause: error });
          }),
      });
    };
  it.each(Object.entries(rollingBack))(
    "S6-020 is heard beside one that was only cancelled, in a %s",
    async (_name, run) => {
      undone.length = 0;
      const { harness, instance, status } = await createInstance(author(run));
      await harness.runUntilIdle();
      await instance.cancel();
      await harness.runUntilIdle();
      expect(undone).toEqual(["book"]);
      expect(await status()).toMatchObject({
        status: "terminated",
        error: { code: "ROLLED_BACK" },
      });
    },
  );

  it.each([1, 2, 3, 4])(
    "S6-020 is heard by whoever takes the run over, killed at commit %i",
    async (killAt) => {
      undone.length = 0;
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        await author((own, both) => own.join("all", both))(step);
      });
      let isAsked = false;
      const { harness, time, killed } = createKilledHarness(
        { workflows: { W } },
        { killAt, isApplied: true, isCounted: () => isAsked },
      );
      const instance = await harness.workflows.W.create({ id: "x" });
      await harness.runUntilIdle();
      isAsked = true;
      await instance.cancel();
      await Promise.race([harness.runUntilIdle(), killed]);
      await time.advance(60_000);
      await harness.runUntilIdle();
      expect(await harness.status("w", "x")).toMatchObject({
        status: "terminated",
        error: { code: "ROLLED_BACK" },
      });
      expect(new Set(undone)).toEqual(new Set(["book"]));
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

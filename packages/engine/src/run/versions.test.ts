/** Code that changes while runs are under way. */
import { describe, expect, it } from "vitest";
import { defineWorkflow, Loop, type WorkflowStep } from "../index.ts";
import { createDeploys } from "../testing/deploys.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { createRun } from "../testing/one-run.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

/** A deploy, and shortcuts to what tests look at. */
function createVersions() {
  const deploy = createDeploys();
  return (run: (step: WorkflowStep) => Promise<unknown>) => {
    const harness = deploy(run);
    return {
      harness,
      create: (id: string) => harness.workflows.W.create({ id }),
      rows: async (id: string) =>
        (await harness.history("w", id)).steps.map(({ stepKey, status }) => `${stepKey} ${status}`),
      outputOf: async (id: string) => {
        await harness.runThroughTime();
        const end = await harness.status("w", id);
        expect(end).toMatchObject({ status: "complete" });
        expect(harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
        return end.output;
      },
    };
  };
}

describe("S6-011 step.version", () => {
  const first = async (step: WorkflowStep): Promise<string> => {
    await step.do("a", () => 1);
    await step.do("old", () => 2);
    await step.sleep("night", "1 day");
    return "first";
  };
  const second = async (step: WorkflowStep): Promise<string> => {
    await step.do("a", () => 1);
    if (step.version("how", 2) === 1) await step.do("old", () => 2);
    else await step.do("new", () => 2);
    await step.sleep("night", "1 day");
    return `second, ${step.version("word", 2)}`;
  };
  const third = async (step: WorkflowStep): Promise<string> => {
    await step.do("a", () => 1);
    const version = step.version("how", 3);
    await step.do(["none", "old", "new", "newest"][version] ?? "none", () => 2);
    await step.sleep("night", "1 day");
    return `third, ${version}`;
  };

  it("S6-011 S3-052 a run that was further before the change goes on as it began, without a row; a new one takes the latest, with one", async () => {
    const deploy = createVersions();
    const before = deploy(first);
    await before.create("old");
    await before.harness.runUntilIdle();
    const middle = deploy(second);
    await middle.create("middle");
    await middle.harness.runUntilIdle();
    const after = deploy(third);
    await after.create("new");
    expect(await after.outputOf("old")).toBe("third, 1");
    expect(await after.outputOf("middle")).toBe("third, 2");
    expect(await after.outputOf("new")).toBe("third, 3");
    expect(await after.rows("old")).toEqual(["a completed", "old completed", "night completed"]);
    expect(await after.rows("middle")).toEqual(
      expect.arrayContaining(["how completed", "new completed"]),
    );
    const { steps } = await after.harness.history("w", "new");
    expect(steps.find(({ stepKey }) => stepKey === "how")).toMatchObject({
      type: "version",
      result: 3,
    });
  });

  it("S6-011 is 1 also where an earlier replay left a body or a wait open behind it", async () => {
    for (const [name, open] of [
      ["wait", (step: WorkflowStep) => step.waitForEvent("w", { type: "go" })],
      ["nap", (step: WorkflowStep) => step.sleep("z", "1 day")],
    ] as const) {
      const deploy = createVersions();
      const before = deploy(async (step) => open(step));
      await before.create(name);
      await before.harness.runUntilIdle();
      const seen: number[] = [];
      const after = deploy(async (step) => {
        seen.push(step.version("v", 2));
        await open(step);
      });
      await after.harness.sendEvent("w", name, { type: "go" });
      await after.outputOf(name);
      expect(new Set(seen)).toEqual(new Set([1]));
    }
  });

  it("S6-011 is the latest for a run that waits before it, whatever it did before", async () => {
    const deploy = createVersions();
    const before = deploy(async (step) => {
      await Promise.all([step.do("a", () => 1), step.do("b", () => 2)]);
      await step.sleep("night", "1 day");
    });
    await before.create("x");
    await before.harness.runUntilIdle();
    const after = deploy(async (step) => {
      await Promise.all([step.do("a", () => 1), step.do("b", () => 2)]);
      await step.sleep("night", "1 day");
      return step.version("v", 2);
    });
    expect(await after.outputOf("x")).toBe(2);
  });

  it("S6-011 costs no trip: its row rides in the commit that is due anyway", async () => {
    const count = async (withVersion: boolean): Promise<number> => {
      let commits = 0;
      const time = createFakeTime();
      const memory = createMemoryStore({ now: time.now });
      const store = {
        ...memory,
        commit: (...given: Parameters<typeof memory.commit>) => {
          commits += 1;
          return memory.commit(...given);
        },
      };
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        await step.do("a", () => 1);
        if (withVersion) step.version("one", 2);
        await step.do("b", () => 1);
        await step.sleep("night", "1 day");
        if (withVersion) step.version("two", 2);
        await step.do("c", () => 1);
      });
      const harness = createHarness({ workflows: { W }, store: { store, clock: time } });
      await harness.workflows.W.create({ id: "x" });
      await harness.runThroughTime();
      expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
      return commits;
    };
    expect(await count(true)).toBe(await count(false));
  });

  it("S6-011 is pinned for each place: each branch, and each iteration of a loop", async () => {
    const run = await createRun(async (step) => {
      const inLoop: number[] = [];
      await step.loop("l", {
        state: 0,
        run: async (own, n) => {
          inLoop.push(own.version("v", 2));
          await own.sleep("z", "1 hour");
          return n === 1 ? Loop.break(null) : Loop.continue(n + 1);
        },
      });
      return [step.version("v", 2), step.version("v", 3), step.version("default", 1)];
    });
    expect(await run.output()).toEqual([2, 3, 1]);
    expect((await run.rows()).filter((row) => row.includes("v"))).toEqual([
      "l/~0/v completed",
      "l/~1/v completed",
      "v completed",
      "v#2 completed",
    ]);
  });

  it.each([0, 1.5, -1, Number.NaN, "2" as never, 2 ** 31])(
    "S6-011 refuses %s as a version",
    async (latest) => {
      const run = await createRun((step) => step.version("v", latest));
      await run.harness.runUntilIdle();
      expect(await run.status()).toMatchObject({ error: { code: "INVALID_VERSION" } });
    },
  );
});

const never = (): Promise<never> => new Promise(() => {});

describe("S6-011 a version that is asked for first", () => {
  it("S6-011 after a loop that removed its rows is the latest", async () => {
    const run = await createRun(async (step) => {
      await step.do("a", () => 1);
      await step.loop("l", {
        state: 0,
        commitEvery: 1,
        keep: 0,
        run: async (own, n) => {
          await own.do("x", () => 1);
          await own.sleep("z", "1 hour");
          return n === 3 ? Loop.break(null) : Loop.continue(n + 1);
        },
      });
      await step.sleep("night", "1 day");
      return step.version("v", 2);
    });
    expect(await run.output()).toBe(2);
  });

  it("S6-011 after a race is the latest, though a body that lost it died with its process", async () => {
    const run = await createRun(async (step) => {
      await step.do("a", () => 1);
      await step.race("r", {
        wins: (own) => own.sleep("z", "1 second"),
        loses: (own) => own.do("x", never),
      });
      return step.version("v", 2);
    });
    void run.harness.runUntilIdle();
    await run.harness.clock.advance(0);
    expect(await run.rows()).toContain("r/wins/z waiting");
    run.harness.restart();
    await run.harness.clock.advance(60_000);
    expect(await run.output()).toBe(2);
  });

  it("S6-011 after a removed step whose body was in flight is the latest", async () => {
    const deploy = createVersions();
    const before = deploy(async (step) => {
      await step.do("a", () => 1);
      await step.do("b", never);
    });
    await before.create("x");
    void before.harness.runUntilIdle();
    await before.harness.clock.advance(0);
    before.harness.restart();
    await before.harness.clock.advance(60_000);
    const after = deploy(async (step) => {
      await step.do("a", () => 1);
      step.removed("b", "do");
      return step.version("v", 2);
    });
    expect(await after.outputOf("x")).toBe(2);
  });
});

describe("S3-013 S6-011 step.removed", () => {
  it("S3-013 keeps histories whole that have the step, settled or open, or a scope with all that is in it", async () => {
    const deploy = createVersions();
    const before = deploy(async (step) => {
      await step.do("gone", () => 1);
      await step.join("both", {
        a: (own) => own.do("x", () => 1),
        b: (own) => own.do("y", () => 1),
      });
      await step.try("attempt", (own) => own.do("z", () => 1));
      await step.do("stays", () => 2);
      await step.waitForEvent("word", { type: "word" });
    });
    await before.create("x");
    await before.harness.runUntilIdle();
    const after = deploy(async (step) => {
      step.removed("gone", "do");
      step.removed("both", "join");
      step.removed("attempt", "try");
      const stays = await step.do("stays", () => 3);
      step.removed("word", "waitForEvent");
      await step.sleep("night", "1 day");
      return stays;
    });
    await after.create("new");
    await after.harness.engine.sendEvent("w", "x", { type: "word" });
    expect(await after.outputOf("x")).toBe(2);
    expect(await after.outputOf("new")).toBe(3);
    expect(await after.rows("x")).toContain("word cancelled");
    expect(await after.rows("new")).toEqual(["stays completed", "night completed"]);
    const { events } = await after.harness.history("w", "x");
    expect(events).toEqual([expect.objectContaining({ type: "word", deliveredAt: null })]);
  });

  it("S3-013 takes the step's use of the name, and says so where history has another kind", async () => {
    const deploy = createVersions();
    const before = deploy(async (step) => {
      await step.do("poll", () => 1);
      await step.do("poll", () => 2);
      await step.sleep("night", "1 day");
    });
    await before.create("x");
    await before.harness.runUntilIdle();
    const after = deploy(async (step) => {
      step.removed("poll", "do");
      const second = await step.do("poll", () => 3);
      await step.sleep("night", "1 day");
      return second;
    });
    expect(await after.outputOf("x")).toBe(2);
    await before.create("y");
    await before.harness.runUntilIdle();
    const wrong = deploy(async (step) => {
      step.removed("poll", "sleep");
      await step.sleep("night", "1 day");
    });
    await wrong.harness.runThroughTime();
    expect(await wrong.harness.status("w", "y")).toMatchObject({
      error: { code: "HISTORY_DIVERGED", details: { recorded: "do", called: "sleep" } },
    });
  });

  it("S3-013 a kind that there is not fails the run, whatever its author catches", async () => {
    const run = await createRun((step) => step.try("t", async (s) => s.removed("x", "z" as never)));
    await run.harness.runUntilIdle();
    expect(await run.status()).toMatchObject({ error: { code: "INVALID_SCOPE" } });
  });
});

/** What author code adds last without awaiting it. */
import { describe, expect, test } from "vitest";
import {
  defineTopic,
  defineWorkflow,
  Loop,
  NonRetryableError,
  RollbackError,
  type WorkflowStep,
} from "../index.ts";
import type { Limits } from "../core/limits.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { readValues } from "../testing/streams.ts";

const TOPIC = defineTopic({ name: "news" });

/** Runs a workflow to its end. @returns its entries, its status, and how many commits it took */
async function play(run: (step: WorkflowStep) => unknown, limits: Partial<Limits> = {}) {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  let commits = 0;
  const commit: typeof store.commit = (requests) => {
    commits += 1;
    return store.commit(requests);
  };
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({
    workflows: { W: workflow },
    topics: [TOPIC],
    limits,
    store: { store: { ...store, commit }, clock: time },
  });
  const instance = await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  return { harness, instance, commits: () => commits };
}

describe("S6-017 what is told last and not awaited", () => {
  test("S6-017 goes with the last commit, in its order, whether or not its code was there", async () => {
    const { harness, commits } = await play((step) => {
      for (const n of [1, 2, 3]) void step.progress(n);
      return "done";
    });
    expect(await readValues(harness.engine)).toEqual([1, 2, 3]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "done" });
    expect(commits()).toBe(1);
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  });

  test("S6-017 goes with the last commit of a run that fails", async () => {
    const { harness, commits } = await play(async (step) => {
      await step.do("work", () => 1);
      void step.progress("it fails");
      throw new NonRetryableError("no");
    });
    expect(await readValues(harness.engine)).toEqual(["it fails"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "errored" });
    expect(commits()).toBe(1);
  });

  test("S6-017 is told before what the run has done is undone", async () => {
    const { harness } = await play(async (step) => {
      await step.do("work", { undo: (_, { progress }) => progress("undone") }, () => 1);
      void step.progress("it is to be undone");
      throw new RollbackError("no");
    });
    expect(await readValues(harness.engine)).toEqual(["it is to be undone", "undone"]);
  });

  test("S6-017 is told by a clean-up", async () => {
    const { harness, instance } = await play(async (step) => {
      try {
        await step.sleep("long", "1 day");
      } finally {
        void step.shielded.progress("cleaned");
      }
    });
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await readValues(harness.engine)).toEqual(["cleaned"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
  });

  test("S6-017 what cannot be told changes nothing", async () => {
    const { harness } = await play((step) => {
      void step.progress(() => 1);
      void step.progress("x".repeat(70_000));
      void step.progress("ok");
    });
    expect(await readValues(harness.engine)).toEqual(["ok"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
  });

  test("S6-015 a message that is emitted last and not awaited is emitted", async () => {
    const { harness } = await play((step) => {
      void step.emit(TOPIC, { n: 1 });
    });
    const { steps } = await harness.history("w", "x");
    expect(steps.map(({ type, status }) => [type, status])).toEqual([["emit", "completed"]]);
  });
});

/** The run's entries, and the rows that a test names. */
async function played(run: (step: WorkflowStep) => unknown, limits: Partial<Limits> = {}) {
  const { harness } = await play(run, limits);
  const { steps } = await harness.history("w", "x");
  const { output, error } = await harness.status("w", "x");
  const rows = steps.map(({ stepKey, status }) => `${stepKey} ${status}`);
  return { told: await readValues(harness.engine), rows, output, error };
}

describe("S6-017 what a branch tells last and does not await", () => {
  test("S6-017 is told before its scope ends, and what else it left is not begun", async () => {
    let begun = 0;
    const { told, rows } = await played(async (step) => {
      await step.join("j", {
        a: (own) => {
          void own.do("left", () => (begun += 1));
          void own.sleep("nap", "1 day");
          void own.progress("a");
        },
      });
      await step.progress("behind");
    });
    expect(told).toEqual(["a", "behind"]);
    expect(rows).toEqual(["j completed", "j/a/progress completed", "progress completed"]);
    expect(begun).toBe(0);
  });

  test("S6-017 is told of scopes in scopes, each before the one around it ends", async () => {
    const { told, output } = await played((step) =>
      step.race("r", {
        wins: async (own) => {
          const { ok } = await own.try("t", async (inner) => {
            await inner.map("m", [1, 2], (item, n) => void item.progress(`item ${n}`));
            void inner.progress("try");
            throw new RollbackError("caught");
          });
          void own.progress("race");
          return ok;
        },
      }),
    );
    expect(told).toEqual(["item 1", "item 2", "try", "race"]);
    expect(output).toEqual({ winner: "wins", value: false });
  });

  test("S6-017 is told of branches that lose by it, whether or not its code was there", async () => {
    const { told, output } = await played((step) =>
      step.race("r", {
        a: (own) => void own.progress("a"),
        b: (own) => void own.progress("b"),
      }),
    );
    expect(output).toEqual({ winner: "a" });
    expect(told).toEqual(["a", "b"]);
  });

  test("S6-017 a scope that its branch leaves behind keeps no other waiting", async () => {
    const { told, output } = await played(async (step) => {
      await step.join("j", {
        a: (own) => {
          void own.race("left", {
            first: (inner) => void inner.progress("first"),
            second: (inner) => inner.progress("second"),
          });
          void own.progress("a");
        },
      });
      return "done";
    });
    expect(output).toBe("done");
    expect(told).toEqual(["a", "first", "second"]);
  });

  test("S6-017 what cannot be told ends its branch as it would have ended", async () => {
    const { told, output } = await played((step) =>
      step.join("j", {
        a: (own) => {
          void own.progress(() => 1);
          void own.emit("nowhere");
          return own.progress("a").then(() => "ended");
        },
        b: (own) => {
          void own.progress("x".repeat(70_000));
          return "too";
        },
      }),
    );
    expect(output).toEqual({ a: "ended", b: "too" });
    expect(told).toEqual(["a"]);
  });

  test("S6-017 iterations that only tell bring a loop on", async () => {
    const { told, output, rows } = await played(
      (step) =>
        step.loop("l", {
          commitEvery: 10,
          keep: 0,
          run: (own, _, n) => {
            if (n === 500) return Loop.break(n);
            void own.progress(n);
            return Loop.continue(undefined);
          },
        }),
      { maxIdleCalls: 100 },
    );
    expect(output).toBe(500);
    expect(told.at(-1)).toBe(499);
    expect(rows.length).toBeLessThan(15);
  });

  test("S6-017 a run that is cancelled meanwhile, or fails, loses none of it", async () => {
    const { harness, instance } = await play(async (step) => {
      await step.join("j", {
        waits: async (own) => {
          try {
            await own.sleep("long", "1 day");
          } finally {
            void own.shielded.progress("cleaned");
          }
        },
        fails: async (own) => {
          await own.do("work", () => 1);
          void own.progress("it fails");
          throw new NonRetryableError("no");
        },
      });
    });
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await readValues(harness.engine)).toEqual(["it fails", "cleaned"]);
    expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
  });
});

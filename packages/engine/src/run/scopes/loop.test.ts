/** Iterations, what is stored of them, and what is left behind. */
import { expect, it } from "vitest";
import { defineWorkflow, Loop, type WorkflowStep } from "../../index.ts";
import type { Store } from "../../ports/store.ts";
import { createMemoryStore } from "../../stores/memory/index.ts";
import { createFakeTime } from "../../testing/fake-time.ts";
import { createHarness } from "../../testing/harness.ts";
import { createRun } from "../../testing/one-run.ts";
import type { LoopNext } from "../../authoring/loop.ts";

it("S6-005 S3-040 goes on with each state until it breaks with a value", async () => {
  const run = await createRun((step) =>
    step.loop("count", {
      state: { sum: 0 },
      run: async (own, { sum }, iteration) => {
        const next = sum + (await own.do("add", () => iteration));
        return iteration === 4 ? Loop.break(next) : Loop.continue({ sum: next });
      },
    }),
  );
  expect(await run.output()).toBe(10);
  expect(await run.rows()).toEqual([
    "count completed",
    ...[0, 1, 2, 3, 4].map((iteration) => `count/~${iteration}/add completed`),
  ]);
});

it("S6-005 S3-041 a crash goes on from the state last written down, which comes back as it was", async () => {
  const begun: number[] = [];
  const run = await createRun((step) =>
    step.loop("l", {
      state: { at: new Date(0), seen: new Map<number, string>() },
      commitEvery: 2,
      run: async (own, state, iteration) => {
        begun.push(iteration);
        await own.sleep("z", "1 hour");
        state.seen.set(iteration, "seen");
        const next = { at: new Date(state.at.getTime() + 1), seen: state.seen };
        return iteration === 4
          ? Loop.break([next.at instanceof Date, next.at.getTime(), next.seen.size])
          : Loop.continue(next);
      },
    }),
  );
  expect(await run.output()).toEqual([true, 5, 5]);
  expect(begun).toEqual([0, 0, 1, 0, 1, 2, 2, 3, 2, 3, 4, 4]);
});

it("S6-007 S3-042 rows of iterations before the kept ones go, nested scopes included, and no others", async () => {
  const run = await createRun(async (step) => {
    await step.do("l/~0/not of it", () => 1);
    await step.loop("l", {
      commitEvery: 10,
      keep: 10,
      run: async (own, _state, iteration) => {
        await own.join("j", { a: (s) => s.do("x", () => 1), b: (s) => s.loop("l", once) });
        return iteration === 21 ? Loop.break() : undefined;
      },
    });
  });
  await run.output();
  const iterations = new Set(
    (await run.rows()).flatMap((row) => /^l\/~(\d+)\//.exec(row)?.[1] ?? []),
  );
  expect([...iterations].map(Number)).toEqual(Array.from({ length: 12 }, (_, index) => index + 10));
  expect(await run.rows()).toContain("l%2F%7E0%2Fnot of it completed");
});

const once = {
  run: async (own: WorkflowStep): Promise<LoopNext<undefined, undefined>> => {
    await own.do("y", () => 1);
    return Loop.break();
  },
};

it("S6-005 an endless loop holds no more rows than it keeps, and no step limit stops it", async () => {
  const run = await createRun(
    (step) =>
      step.loop("l", {
        commitEvery: 5,
        keep: 5,
        run: async (own, _state, iteration) => {
          await own.do("a", () => iteration);
          return iteration === 999 ? Loop.break("done") : undefined;
        },
      }),
    { limits: { maxStepsPerRun: 20 } },
  );
  expect(await run.output()).toBe("done");
  expect((await run.rows()).length).toBeLessThan(15);
});

it("S6-005 an iteration's steps run once, wherever its runner dies", async () => {
  for (let calls = 1; calls < 14; calls += 1) {
    const done: number[] = [];
    const run = await createRun((step) =>
      step.loop("l", {
        state: 0,
        commitEvery: 2,
        keep: 0,
        run: async (own, sum, iteration) => {
          const value = await own.do("a", () => {
            done.push(iteration);
            return iteration;
          });
          await own.sleep("z", "1 minute");
          return iteration === 5 ? Loop.break(sum + value) : Loop.continue(sum + value);
        },
      }),
    );
    for (let tick = 0; tick < calls; tick += 1) {
      await run.harness.runUntilIdle();
      await run.harness.clock.advance(60_000);
    }
    run.harness.restart();
    await run.harness.clock.advance(60_000);
    expect(await run.output()).toBe(15);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  }
});

it("S6-005 Rivet's names are taken: rows go every so many iterations, and never what a replay could still run", async () => {
  const run = await createRun((step) =>
    step.loop("l", {
      commitInterval: 4,
      historyEvery: 2,
      historyKeep: 0,
      run: async (own, _state, iteration) => {
        await own.do("a", () => iteration);
        return iteration === 6 ? Loop.break(iteration) : undefined;
      },
    }),
  );
  expect(await run.output()).toBe(6);
  expect(await run.rows()).toEqual([
    "l completed",
    "l/~4/a completed",
    "l/~5/a completed",
    "l/~6/a completed",
  ]);
});

it("a body in flight beside a loop is known to have been lost, though the loop has removed the rows around it", async () => {
  const starts: string[] = [];
  const run = await createRun(async (step) => {
    const { slow } = await step.join("j", {
      rounds: (own) =>
        own.loop("l", {
          commitEvery: 1,
          keep: 0,
          run: async (s, _state, iteration) => {
            await s.do("a", () => iteration);
            return iteration === 5 ? Loop.break() : undefined;
          },
        }),
      slow: async (own) => {
        await own.do("first", () => 1);
        return own.do("slow", { retries: { limit: 0 } }, async () => {
          starts.push("slow");
          if (starts.length === 1) await new Promise(() => {});
          return "done";
        });
      },
    });
    return slow;
  });
  void run.harness.tick();
  await run.harness.clock.advance(100);
  run.harness.restart();
  await run.harness.clock.advance(60_000);
  await run.harness.runThroughTime();
  // At most once means at most once.
  expect(starts).toEqual(["slow"]);
  expect(await run.status()).toMatchObject({ error: { code: "JOIN_FAILED" } });
});

it("a loop around nothing is stopped with RUN_SPINNING, and timers run meanwhile", async () => {
  let timers = 0;
  const run = await createRun(
    (step) => {
      setImmediate(() => (timers += 1));
      return step.loop("l", { run: () => {} });
    },
    { limits: { maxIdleCalls: 2000 } },
  );
  await run.harness.runUntilIdle();
  expect(await run.status()).toMatchObject({ error: { code: "RUN_SPINNING" } });
  expect(timers).toBeGreaterThan(0);
});

it("an iteration that throws fails the loop with what it threw, on a replay as well", async () => {
  const seen: unknown[] = [];
  const run = await createRun(async (step) => {
    await step
      .loop("l", {
        commitEvery: 1,
        run: async (own, _state, iteration) => {
          await own.do("a", () => 1);
          if (iteration === 2) throw new RangeError("third");
        },
      })
      .catch((error: Error) => seen.push(error.message));
    await step.sleep("z", "1 hour");
  });
  await run.output();
  expect(seen).toEqual(["third", "third"]);
  expect(await run.rows()).toContain("l errored");
});

it.each([
  ["no options", null, "INVALID_SCOPE"],
  ["no function", {}, "INVALID_SCOPE"],
  ["an interval of none", { run: (): unknown => undefined, commitEvery: 0 }, "INVALID_SCOPE"],
  ["an unknown option", { run: (): unknown => undefined, commitEach: 2 }, "UNKNOWN_OPTION"],
  ["an iteration that returns something else", { run: (): unknown => 5 }, "INVALID_SCOPE"],
  [
    "a state that cannot be stored",
    { commitEvery: 1, run: (): unknown => Loop.continue(() => 1) },
    "NOT_SERIALIZABLE",
  ],
  [
    "a state that is too large",
    { commitEvery: 1, run: (): unknown => Loop.continue("x".repeat(2_000_000)) },
    "PAYLOAD_TOO_LARGE",
  ],
])("is refused with %s", async (_what, options, code) => {
  const run = await createRun((step) =>
    step.loop("l", options as never).catch((error: { code: string }) => error.code),
  );
  expect(await run.output()).toBe(code);
});

it("S5-003 each commit that removes rows of a loop writes the loop's own, however often either is asked for", async () => {
  const time = createFakeTime();
  const store = createMemoryStore({ now: time.now });
  const trimming: (readonly string[])[] = [];
  const commit: Store["commit"] = (commits) => {
    for (const { changes } of commits)
      if (changes.some(({ kind }) => kind === "stepsTrimmed"))
        trimming.push(
          changes.flatMap((change) => (change.kind === "step" ? change.step.stepKey : [])),
        );
    return store.commit(commits);
  };
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.loop("l", {
      commitEvery: 4,
      historyEvery: 3,
      keep: 1,
      run: async (own, _state, iteration) => {
        await own.do("a", () => iteration);
        return iteration === 13 ? Loop.break() : undefined;
      },
    }),
  );
  const harness = createHarness({
    workflows: { W },
    store: { store: { ...store, commit }, clock: time },
  });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();
  expect(trimming).toHaveLength(3);
  for (const written of trimming) expect(written).toContain("l");
});

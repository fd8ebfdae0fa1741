/** `step.progress`, `ctx.progress` and `instance.stream`: the progress of a run while it is running. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  WorkflowError,
  type WorkflowStep,
} from "../index.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { readStream, readValues } from "../testing/streams.ts";
import { define, start } from "./testing-progress.ts";

// Test time does not wait for code that is loaded late.
beforeAll(async () => {
  await import("./progress-step.ts");
});

const code = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );

describe("S6-017 progress between steps", () => {
  test("S6-017 entries come in the order in which they were made, once, whatever is replayed", async () => {
    const { harness, engine } = await start(async (step) => {
      await step.progress({ at: new Date(5) });
      await step.do("a", () => 1);
      await step.progress(undefined);
      await step.sleep("nap", "1 hour");
      await step.progress("last");
      return "done";
    });
    await harness.runThroughTime();
    const entries = await readStream(engine);
    expect(entries.map(({ value }) => value)).toEqual([{ at: new Date(5) }, null, "last"]);
    expect(entries.map(({ sequence, step }) => [sequence, step])).toEqual([
      [1, "progress"],
      [2, "progress#2"],
      [3, "progress#3"],
    ]);
    expect(entries[0]).toMatchObject({ attempt: null, runNumber: 1 });
    expect(await engine.readProgress("w", "x", { after: 1, limit: 1 })).toMatchObject({
      cursor: 2,
      missed: 0,
      ended: false,
    });
    expect(await engine.readProgress("w", "x", { after: 3 })).toEqual({
      entries: [],
      cursor: 3,
      missed: 0,
      ended: true,
    });
  });

  test("S6-017 code that only tells is committed on its way: no commit grows with what it tells", async () => {
    const time = createFakeTime();
    const store = createMemoryStore({ now: time.now });
    const sizes: number[] = [];
    const commit: Store["commit"] = (commits) => {
      const made = commits.flatMap(({ changes }) =>
        changes.filter((change) => change.kind === "progressMade"),
      );
      sizes.push(made.reduce((size, { value }) => size + value.length, 0));
      return store.commit(commits);
    };
    const run = async (step: WorkflowStep): Promise<void> => {
      for (let n = 0; n < 100; n += 1) await step.progress("x".repeat(60_000));
    };
    const harness = createHarness({
      workflows: { W: define(run) },
      store: { store: { ...store, commit }, clock: time },
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(await readValues(harness.engine)).toHaveLength(100);
    expect(Math.max(...sizes)).toBeLessThan(200_000);
  });

  test("S6-017 a loop of a thousand iterations tells each, though its rows are removed", async () => {
    const { harness, engine } = await start((step) =>
      step.loop("loop", {
        state: 0,
        run: async (own, state) => {
          await own.progress(state);
          await own.do("work", () => null);
          return state === 999 ? Loop.break(state) : Loop.continue(state + 1);
        },
        commitEvery: 7,
      }),
    );
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    expect(await readValues(engine)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  test("S6-017 calls that are not awaited one by one tell in their order, and branches each in theirs", async () => {
    const { harness, engine } = await start(async (step) => {
      await Promise.all([1, 2, 3].map((n) => step.progress(n)));
      await step.join("both", {
        a: async (own) => {
          await own.progress("a1");
          await own.do("work", () => 1);
          await own.progress("a2");
        },
        b: async (own) => {
          await own.progress("b1");
          await own.sleep("nap", "1 minute");
          await own.progress("b2");
        },
      });
    });
    await harness.runThroughTime();
    const values = await readValues(engine);
    expect(values.slice(0, 3)).toEqual([1, 2, 3]);
    expect(values.filter((value) => String(value).startsWith("a"))).toEqual(["a1", "a2"]);
    expect(values.filter((value) => String(value).startsWith("b"))).toEqual(["b1", "b2"]);
  });

  test("S6-017 where repeated names are cached, each call tells, beside a step of that name", async () => {
    const workflow = defineWorkflow(
      { name: "w", repeatedNames: "cached" },
      async (_event, step) => {
        await step.progress(1);
        await step.do("progress", () => "body");
        await step.progress(2);
        await step.sleep("nap", 1000);
        return step.do("progress", () => "again");
      },
    );
    const harness = createHarness({ workflows: { W: workflow } });
    await harness.workflows.W.create({ id: "x" });
    await harness.runThroughTime();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "body" });
    expect(await readValues(harness.engine)).toEqual([1, 2]);
  });

  test("S6-017 what cannot be told is refused, and the run goes on", async () => {
    const { harness, engine } = await start(
      async (step) => {
        const large = await code(step.progress("x".repeat(99)));
        const wrong = await code(step.progress(() => 1));
        await step.do("body", async (context) => {
          void context.progress(() => 1);
          return [await code(context.progress("x".repeat(99)))];
        });
        await step.progress("ok");
        return [large, wrong];
      },
      { maxProgressEntryBytes: 100 },
    );
    await harness.runThroughTime();
    expect((await harness.status("w", "x")).output).toEqual([
      "PAYLOAD_TOO_LARGE",
      "NOT_SERIALIZABLE",
    ]);
    expect(await readValues(engine)).toEqual(["ok"]);
  });

  test("S6-017 a rewind and a restart tell again behind what was told, a fork begins a stream of its own", async () => {
    const { harness, engine } = await start(async (step) => {
      await step.progress("one");
      await step.do("a", () => 1);
      await step.progress("two");
    });
    await harness.runThroughTime();
    await engine.rewind("w", "x", "a");
    await harness.runThroughTime();
    expect(await readValues(engine)).toEqual(["one", "two", "two"]);
    await engine.control("w", "x", "restart");
    await harness.runThroughTime();
    const entries = await readStream(engine);
    expect(entries.map(({ runNumber, value }) => `${runNumber} ${String(value)}`)).toEqual([
      "1 one",
      "1 two",
      "1 two",
      "2 one",
      "2 two",
    ]);
    await engine.fork("w", "x", "a", { id: "y" });
    await harness.runThroughTime();
    expect(await readValues(engine, "y")).toEqual(["two"]);
  });

  test("S6-017 a retry of a run that failed tells on, and what it had told stays once", async () => {
    let fails = true;
    const { harness, engine } = await start(async (step) => {
      await step.progress("before");
      await step.do("risky", () => {
        if (fails) throw new NonRetryableError("no");
      });
      await step.progress("after");
    });
    await harness.runThroughTime();
    fails = false;
    await engine.control("w", "x", "retry");
    await harness.runThroughTime();
    expect(await readValues(engine)).toEqual(["before", "after"]);
  });

  test("S6-017 a run that is cancelled tells of its clean-up", async () => {
    const { harness, engine, instance } = await start(async (step) => {
      try {
        await step.progress("begun");
        await step.sleep("long", "1 day");
      } finally {
        await step.shielded.progress("cleaning");
        await step.shielded.do("clean", (context) => context.progress("cleaned"));
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "terminated" });
    expect(await readValues(engine)).toEqual(["begun", "cleaning", "cleaned"]);
  });
});

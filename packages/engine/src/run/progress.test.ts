/** `step.progress`, `ctx.progress` and `instance.stream`: what a run tells while it is on its way. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  type StepContext,
  WorkflowError,
  type WorkflowStep,
} from "../index.ts";
import type { Limits } from "../core/limits.ts";
import type { Store } from "../ports/store.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createHarness } from "../testing/harness.ts";
import { readStream, readValues } from "../testing/streams.ts";

const LEASE_MS = 30_000;

// Time of the tests does not wait for what is loaded late.
beforeAll(async () => {
  await import("./progress-step.ts");
});

const define = (run: (step: WorkflowStep) => unknown) =>
  defineWorkflow({ name: "w" }, async (_event, step) => run(step));

async function start(run: (step: WorkflowStep) => unknown, limits: Partial<Limits> = {}) {
  const harness = createHarness({ workflows: { W: define(run) }, limits });
  const instance = await harness.workflows.W.create({ id: "x" });
  return { harness, engine: harness.engine, instance };
}

const code = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );

/** A promise that the test resolves. */
function createGate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

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

describe("S6-017 progress of bodies", () => {
  test("S6-017 entries have the attempt that made them, those of attempts that failed among them", async () => {
    const { harness, engine } = await start((step) =>
      step.do("work", { retries: { limit: 2, delay: 1000 } }, async (context) => {
        await context.progress(`try ${context.attempt}`);
        if (context.attempt < 3) throw new TypeError("again");
        await context.progress("done");
      }),
    );
    await harness.runThroughTime();
    const entries = await readStream(engine);
    expect(entries.map(({ step, attempt, value }) => [step, attempt, value])).toEqual([
      ["work", 1, "try 1"],
      ["work", 2, "try 2"],
      ["work", 3, "try 3"],
      ["work", 3, "done"],
    ]);
  });

  test("S6-017 an undo tells too, and a body may pass its progress on as a callback", async () => {
    const { harness, engine, instance } = await start(async (step) => {
      const undo = (_: unknown, { progress }: StepContext) => progress("undone");
      await step.do("work", { undo }, ({ progress }) => Promise.all([1, 2].map(progress)));
      await step.sleep("long", "1 day");
    });
    await harness.runUntilIdle();
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    expect((await readStream(engine)).map(({ step, value }) => [step, value])).toEqual([
      ["work", 1],
      ["work", 2],
      ["work/undo", "undone"],
    ]);
  });

  test("S6-017 what a long body tells, and what was told before it, is seen within 200 ms", async () => {
    const gate = createGate();
    const { harness, engine } = await start(async (step) => {
      await step.progress("before");
      await step.do("long", async (context) => {
        await context.progress(1);
        await context.progress(2);
        await gate.promise;
        await context.progress(3);
      });
    });
    const run = harness.runUntilIdle();
    await harness.clock.advance(199);
    expect(await readValues(engine)).toEqual([]);
    await harness.clock.advance(1);
    expect(await readValues(engine)).toEqual(["before", 1, 2]);
    gate.open();
    await run;
    expect(await readValues(engine)).toEqual(["before", 1, 2, 3]);
  });

  test("S6-017 much is committed at once, and who tells more than that waits until it is", async () => {
    const told: string[] = [];
    const { harness, engine } = await start((step) =>
      step.do("long", async (context) => {
        await context.progress("x".repeat(60_000));
        await context.progress("x".repeat(6000));
        told.push("64 KiB");
        for (let n = 0; n < 2500; n += 1) await context.progress(n);
        told.push("2500 entries");
      }),
    );
    await harness.runUntilIdle();
    expect(told).toEqual(["64 KiB", "2500 entries"]);
    expect(await readValues(engine)).toHaveLength(2502);
  });

  test("S6-017 after the end of its attempt a body tells nothing", async () => {
    const late: StepContext[] = [];
    const { harness, engine } = await start(async (step) => {
      await step
        .do("slow", { timeout: 1000, retries: { limit: 0 } }, (context) => {
          late.push(context);
          return new Promise(() => {});
        })
        .catch(() => null);
      await step.do("quick", (context) => void late.push(context));
      await step.do("other", async () => {
        for (const context of late) await context.progress("late");
      });
    });
    const run = harness.tick();
    await harness.clock.advance(1000);
    await run;
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({ status: "complete" });
    for (const context of late) await context.progress("later");
    expect(await readValues(engine)).toEqual([]);
  });

  test("S6-017 an attempt that was lost has told what was seen, and the next one has another number", async () => {
    let attempts = 0;
    const { harness } = await start((step) =>
      step.do("long", async (context) => {
        attempts += 1;
        await context.progress(`by ${attempts}`);
        if (attempts === 1) await new Promise(() => {});
      }),
    );
    void harness.tick();
    await harness.clock.advance(200);
    harness.restart();
    await harness.clock.advance(LEASE_MS);
    await harness.runUntilIdle();
    await harness.clock.advance(LEASE_MS);
    await harness.runUntilIdle();
    expect(
      (await readStream(harness.engine)).map(({ attempt, value }) => [attempt, value]),
    ).toEqual([
      [1, "by 1"],
      [2, "by 2"],
    ]);
  });
});

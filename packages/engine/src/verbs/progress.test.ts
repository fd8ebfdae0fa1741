/** Reading progress: pages, waiting for them, and streams. */
import { beforeAll, describe, expect, test } from "vitest";
import type { StreamEntry } from "../authoring/progress.ts";
import { defineWorkflow, WorkflowError, type WorkflowStep } from "../index.ts";
import type { Limits } from "../core/limits.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { createFaultStore } from "../testing/fault-store.ts";
import { createHarness } from "../testing/harness.ts";
import { createMemoryStore } from "../stores/memory/index.ts";

// Test time does not wait for code that is loaded late.
beforeAll(async () => {
  await Promise.all([
    import("./read-progress.ts"),
    import("./stream-progress.ts"),
    import("../run/progress-step.ts"),
  ]);
});

async function start(run: (step: WorkflowStep) => unknown, limits: Partial<Limits> = {}) {
  const time = createFakeTime();
  const store = createFaultStore(createMemoryStore({ now: time.now }));
  const workflow = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  const harness = createHarness({
    workflows: { W: workflow },
    limits,
    store: { store, clock: time },
  });
  const instance = await harness.workflows.W.create({ id: "x" });
  const calls = (verb: string): number => store.calls.filter((call) => call.verb === verb).length;
  return { harness, engine: harness.engine, instance, calls };
}

const code = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => (WorkflowError.is(error) ? error.code : String(error)),
  );

async function collect(
  stream: AsyncIterable<StreamEntry>,
  into: unknown[] = [],
): Promise<readonly unknown[]> {
  for await (const { value } of stream) into.push(value);
  return into;
}

const napping = async (step: WorkflowStep): Promise<void> => {
  for (let n = 1; n <= 3; n += 1) {
    await step.progress(n);
    await step.sleep(`nap ${n}`, "1 minute");
  }
};

describe("S6-017 readers of progress", () => {
  test("S6-017 a stream gives entries as they come, and ends with the instance", async () => {
    const { harness, instance } = await start(napping);
    const live: unknown[] = [];
    const all = collect(instance.stream(), live);
    await harness.runUntilIdle();
    await harness.clock.advance(1000);
    expect(live).toEqual([1]);
    await harness.runThroughTime();
    await harness.clock.advance(1000);
    expect(await all).toEqual([1, 2, 3]);
    expect(await collect(instance.stream({ after: 2 }))).toEqual([3]);
    expect(await collect(instance.stream({ after: 99 }))).toEqual([]);
  });

  test("S6-017 entries say where they are from, and when, by the database's clock", async () => {
    const { harness, instance } = await start((step) =>
      step.do("work", (context) => context.progress({ tokens: 1 })),
    );
    await harness.runThroughTime();
    for await (const entry of instance.stream<{ tokens: number }>()) {
      expect(entry.value.tokens).toBe(1);
      expect(entry).toEqual({
        sequence: 1,
        value: { tokens: 1 },
        timestamp: new Date(harness.clock.now()),
        step: "work",
        attempt: 1,
        runNumber: 1,
      });
    }
  });

  test("S6-017 who waits for a run of this process is told by its commits, and asks the store once for each", async () => {
    let tellMore = (): void => {};
    const more = new Promise<void>((resolve) => (tellMore = resolve));
    const { harness, engine, calls } = await start((step) =>
      step.do("long", async (context) => {
        await context.progress(1);
        await more;
        await context.progress(2);
      }),
    );
    const run = harness.tick();
    await harness.clock.advance(0);
    const first = engine.readProgress("w", "x", { waitMs: 20_000 });
    await harness.clock.advance(200);
    expect(await first).toMatchObject({ entries: [{ value: 1 }], cursor: 1, ended: false });
    const before = calls("readProgress");
    const second = engine.readProgress("w", "x", { after: 1, waitMs: 20_000 });
    await harness.clock.advance(5000);
    expect(calls("readProgress") - before).toBe(1);
    tellMore();
    await harness.clock.advance(0);
    await run;
    expect(await second).toMatchObject({ entries: [{ value: 2 }], ended: true });
    expect(calls("readProgress") - before).toBe(2);
  });

  test("S6-017 a wait ends when its time is over, when the instance ends, and when its signal is aborted", async () => {
    const { harness, engine, instance } = await start((step) => step.sleep("nap", "1 hour"));
    await harness.runUntilIdle();
    const timed = engine.readProgress("w", "x", { waitMs: 1000 });
    await harness.clock.advance(1000);
    expect(await timed).toEqual({ entries: [], cursor: 0, missed: 0, ended: false });
    const controller = new AbortController();
    const aborted = engine.readProgress("w", "x", { waitMs: 20_000, signal: controller.signal });
    const stream = collect(instance.stream({ signal: controller.signal }));
    await harness.clock.advance(500);
    controller.abort(new TypeError("enough"));
    expect(await aborted).toMatchObject({ entries: [], ended: false });
    expect(await code(stream)).toBe("TypeError: enough");
    expect(await code(collect(instance.stream({ signal: controller.signal })))).toBe(
      "TypeError: enough",
    );
    const last = engine.readProgress("w", "x", { waitMs: 20_000 });
    await instance.terminate();
    await harness.clock.advance(1000);
    expect(await last).toMatchObject({ ended: true });
  });

  test("S6-017 a reader that comes too late is told how much it has missed", async () => {
    const { harness, engine } = await start(
      async (step) => {
        for (let n = 1; n <= 10; n += 1) await step.progress(n);
      },
      { maxProgressEntries: 4 },
    );
    await harness.runThroughTime();
    expect(await engine.readProgress("w", "x", { after: 2, limit: 1 })).toMatchObject({
      entries: [{ sequence: 7, value: 7 }],
      cursor: 7,
      missed: 4,
      ended: false,
    });
    expect(await engine.readProgress("w", "x", { after: 7 })).toMatchObject({
      cursor: 10,
      missed: 0,
      ended: true,
    });
  });

  test("S6-017 what is asked wrongly is refused", async () => {
    const { engine, instance } = await start(napping);
    for (const options of [
      { after: -1 },
      { after: 0.5 },
      { after: 2 ** 31 },
      { after: Number.NaN },
      { limit: 0 },
      { limit: 1001 },
      { waitMs: 20_001 },
      { waitMs: -1 },
    ])
      expect(await code(engine.readProgress("w", "x", options)), JSON.stringify(options)).toBe(
        "INVALID_REQUEST",
      );
    expect(await code(engine.readProgress("w", "none"))).toBe("INSTANCE_NOT_FOUND");
    expect(await code(engine.readProgress("none", "x"))).toBe("WORKFLOW_NOT_FOUND");
    expect(await code(engine.readProgress("w", "x", { from: 1 } as never))).toBe("UNKNOWN_OPTION");
    expect(await code(collect(instance.stream({ from: 1 } as never)))).toBe("UNKNOWN_OPTION");
    expect(await code(collect(instance.stream({ after: -1 })))).toBe("INVALID_REQUEST");
  });

  test("S6-017 a run with progress makes no trip more than one without", async () => {
    const play = async (tells: boolean): Promise<number> => {
      const { harness, calls } = await start(async (step) => {
        for (let n = 1; n <= 5; n += 1) {
          if (tells) await step.progress(n);
          await step.do(`work ${n}`, async (context) => tells && context.progress(n));
        }
        if (tells) await step.progress("last");
      });
      await harness.runThroughTime();
      return calls("commit");
    };
    expect(await play(true)).toBe(await play(false));
  });
});

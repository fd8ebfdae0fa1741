/** Progress from bodies of steps. */
import { beforeAll, describe, expect, test } from "vitest";
import type { StepContext } from "../index.ts";
import { readStream, readValues } from "../testing/streams.ts";
import { start } from "./testing-progress.ts";

// Test time does not wait for code that is loaded late.
beforeAll(async () => {
  await import("./progress-step.ts");
});

const LEASE_MS = 30_000;

/** A promise that the test resolves. */
function createGate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

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

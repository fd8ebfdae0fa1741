/** What a rolled-back run undoes, in which order, and what a crash repeats of that. */
import { describe, expect, it } from "vitest";
import { Loop, NonRetryableError, RollbackError, type WorkflowStep } from "../index.ts";
import { createRun } from "../testing/one-run.ts";
import { ONCE, createTrip } from "./testing-rollback.ts";

it("S6-009 S3-032 undoes what completed, last one first, with what each step gave, and fails with the error that asked for it", async () => {
  const { done, book } = createTrip();
  const run = await createRun(async (step) => {
    await book(step, "flight");
    await step.do("nothing to undo", () => null);
    await book(step, "hotel");
    await step.sleep("think", "1 day");
    await book(step, "car");
    throw new RollbackError("no money", { cause: new Error("card refused") });
  });
  await run.harness.runThroughTime();
  expect(done).toEqual([
    "flight",
    "hotel",
    "car",
    "undo id of car as car/undo",
    "undo id of hotel as hotel/undo",
    "undo id of flight as flight/undo",
  ]);
  expect(await run.status()).toMatchObject({
    status: "errored",
    error: {
      name: "RollbackError",
      code: "ROLLED_BACK",
      message: "no money",
      cause: { message: "card refused" },
    },
  });
  expect(await run.rows()).toEqual([
    "car completed",
    "car/undo completed",
    "flight completed",
    "flight/undo completed",
    "hotel completed",
    "hotel/undo completed",
    "nothing to undo completed",
    "think completed",
  ]);
});

describe("S3-032 a RollbackError", () => {
  it("S3-032 thrown by a step's body is not tried again, and rolls back unless it is caught", async () => {
    const { done, book } = createTrip();
    let attempts = 0;
    const pay = (step: WorkflowStep): Promise<never> =>
      step.do("pay", () => {
        attempts += 1;
        throw new RollbackError();
      });
    const run = await createRun(async (step) => {
      await book(step, "flight");
      const caught = await step.tryDo("try to pay", () => {
        throw new RollbackError("never mind");
      });
      expect(caught).toMatchObject({ ok: false, kind: "rollback" });
      await step.sleep("a replay", "1 day");
      await pay(step);
    });
    await run.harness.runThroughTime();
    expect(attempts).toBe(1);
    expect(done).toEqual(["flight", "undo id of flight as flight/undo"]);
    expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  });

  it("S3-032 thrown in a branch rolls back all the branches, and any other error rolls back nothing", async () => {
    const { done, book } = createTrip();
    const run = await createRun((step) =>
      step.join("book", {
        flight: async (own) => book(own, "flight"),
        hotel: async (own) => {
          await own.sleep("later", "1 hour");
          throw new RollbackError("no hotel");
        },
      }),
    );
    await run.harness.runThroughTime();
    expect(done).toEqual(["flight", "undo id of flight as book/flight/flight/undo"]);
    expect(await run.status()).toMatchObject({
      error: { code: "ROLLED_BACK", message: "no hotel", cause: { code: "JOIN_FAILED" } },
    });
    const failed = await createRun(async (step) => {
      await book(step, "car");
      throw new Error("a mistake");
    });
    await failed.harness.runThroughTime();
    expect(done.slice(2)).toEqual(["car"]);
  });
});

it("S6-009 bodies under way are waited for and undone; what waits, and what has not begun, is called off", async () => {
  const { done, book } = createTrip();
  let finish = (): void => {};
  const run = await createRun(async (step) => {
    const others = [
      step.do("slow", { undo: () => void done.push("undo slow") }, async () => {
        await new Promise<void>((resolve) => (finish = resolve));
        done.push("slow");
      }),
      step.sleep("long", "1 day"),
      step.waitForEvent("word", { type: "word" }),
      step.do("flaky", { retries: { limit: 9, delay: "1 hour" } }, () => {
        done.push("flaky");
        throw new Error("not yet");
      }),
    ];
    void Promise.allSettled(others);
    await book(step, "flight");
    setTimeout(() => finish(), 0);
    void step.do("never begun", () => void done.push("never begun"));
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(done).toEqual([
    "flaky",
    "flight",
    "slow",
    "undo slow",
    "undo id of flight as flight/undo",
  ]);
  const rows = await run.rows();
  expect(rows).toEqual(
    expect.arrayContaining(["long cancelled", "word cancelled", "flaky cancelled"]),
  );
  expect(rows.filter((row) => row.startsWith("never begun"))).toEqual([]);
});

describe("S6-009 an undo", () => {
  it("S6-009 has retries of its own, between which the run parks", async () => {
    const tries: string[] = [];
    const run = await createRun(async (step) => {
      await step.do("first", { undo: () => void tries.push("first") }, () => 1);
      const run = (): void => {
        tries.push("second");
        if (tries.length < 3) throw new Error("busy");
      };
      await step.do("second", { undo: { run, retries: { limit: 2, delay: "1 hour" } } }, () => 2);
      throw new RollbackError();
    });
    await run.harness.runUntilIdle();
    expect(await run.status()).toMatchObject({ status: "waiting" });
    await run.harness.runThroughTime();
    expect(tries).toEqual(["second", "second", "second", "first"]);
    expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  });

  it("S6-009 that fails for good stops the rollback, and the error names it and what is left", async () => {
    const { done, book } = createTrip();
    const run = await createRun(async (step) => {
      await book(step, "flight");
      await step.do(
        "hotel",
        {
          undo: () => {
            throw new NonRetryableError("the hotel keeps the money");
          },
        },
        () => 1,
      );
      await book(step, "car");
      throw new RollbackError();
    });
    await run.harness.runThroughTime();
    expect(done).toEqual(["flight", "car", "undo id of car as car/undo"]);
    expect(await run.status()).toMatchObject({
      status: "errored",
      error: {
        code: "ROLLBACK_FAILED",
        details: { stepKey: "hotel", left: ["flight"] },
        cause: { message: "the hotel keeps the money" },
      },
    });
  });

  it.each<[object, string]>([
    [{ undo: "later" }, "INVALID_UNDO"],
    [{ undo: null }, "INVALID_UNDO"],
    [{ undo: { retries: ONCE.retries } }, "INVALID_UNDO"],
    [{ undo: { run: String, retry: 1 } }, "UNKNOWN_OPTION"],
    [{ undo: { run: String, retries: { limit: -1 } } }, "INVALID_RETRY_POLICY"],
  ])("S6-009 %j is refused when the step is called: %s", async (options, code) => {
    const run = await createRun((step) => step.do("pay", options as never, () => 1));
    await run.harness.runUntilIdle();
    expect(await run.status()).toMatchObject({ status: "errored", error: { code } });
    expect(await run.rows()).toEqual([]);
  });
});

it("S6-009 S3-043 a loop whose steps have an undo keeps its iterations, and undoes all of them", async () => {
  const { done, book } = createTrip();
  const run = await createRun((step) =>
    step.loop("legs", {
      state: 0,
      commitEvery: 1,
      keep: 0,
      run: async (own, leg) => {
        if (leg === 3) throw new RollbackError();
        await book(own, `leg ${leg}`);
        await own.sleep("night", "1 day");
        return Loop.continue(leg + 1);
      },
    }),
  );
  await run.harness.runThroughTime();
  expect(done).toEqual([
    "leg 0",
    "leg 1",
    "leg 2",
    "undo id of leg 2 as legs/~2/leg 2/undo",
    "undo id of leg 1 as legs/~1/leg 1/undo",
    "undo id of leg 0 as legs/~0/leg 0/undo",
  ]);
});

it("S6-009 a run at its limit of steps can be rolled back", async () => {
  const { done, book } = createTrip();
  const run = await createRun(
    async (step) => {
      await book(step, "a");
      await book(step, "b");
      throw new RollbackError();
    },
    { limits: { maxStepsPerRun: 2 } },
  );
  await run.harness.runThroughTime();
  expect(done.slice(2)).toEqual(["undo id of b as b/undo", "undo id of a as a/undo"]);
});

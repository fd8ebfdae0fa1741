/** `terminate({ rollback: true })`: what a run undoes on request from outside, and what a crash repeats of that. */
import { beforeAll, describe, expect, it } from "vitest";
import { defineWorkflow, Loop, RollbackError, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";
import { type Book, createShop, ROLLED_BACK } from "./testing-asked-rollback.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => import("./rollback.ts"));

type Author = (step: WorkflowStep, book: Book) => unknown;

async function createInstance(run: Author) {
  const { done, book } = createShop();
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step, book));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id: "x" });
  return { harness, instance, done, status: () => harness.status("w", "x") };
}

describe("S6-010 terminate with a rollback", () => {
  it("S6-010 undoes what a waiting run has done, last one first, and tells its code nothing", async () => {
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      await book(step, "flight");
      await step.join("more", {
        hotel: (own) => book(own, "hotel"),
        wait: async (own) => {
          await own.sleep("night", "1 hour");
          await book(own, "car");
          await own.waitForEvent("paid", { type: "paid" }).finally(() => done.push("told"));
        },
      });
    });
    await harness.runThroughTime(7_200_000);
    await instance.terminate({ rollback: true });
    await instance.terminate({ rollback: true });
    await instance.cancel();
    expect(await status()).toMatchObject({ status: "queued", endRequested: "rollback" });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject(ROLLED_BACK);
    expect(done).toEqual(["flight", "hotel", "car", "undo car", "undo hotel", "undo flight"]);
    await expect(instance.result()).rejects.toMatchObject({ code: "INSTANCE_TERMINATED" });
    await expect(instance.retry()).rejects.toMatchObject({ code: "INSTANCE_NOT_ERRORED" });
  });

  it("S6-010 waits for bodies that are under way, and undoes what they did; none begins any more", async () => {
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      const slow = book(step, "slow", () => new Promise((resolve) => (end = resolve)));
      await book(step, "first", () => instance.terminate({ rollback: true }));
      await Promise.all([slow, book(step, "second")]);
    });
    let end: (value: null) => void = () => {};
    const idle = harness.runUntilIdle();
    for (let turn = 0; turn < 5; turn += 1) await harness.clock.advance(10);
    expect(done).toEqual(["slow", "first"]);
    end(null);
    await idle;
    await harness.runUntilIdle();
    expect(done).toEqual(["slow", "first", "undo slow", "undo first"]);
    expect(await status()).toMatchObject(ROLLED_BACK);
  });

  it("S6-010 of one that has done nothing ends it, and its code does not run", async () => {
    let runs = 0;
    const { harness, instance, status } = await createInstance(() => (runs += 1));
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject(ROLLED_BACK);
    expect(runs).toBe(0);
  });

  it("S6-010 of one that comes to its end before it hears of it leaves it that end", async () => {
    const { harness, instance, done, status } = await createInstance((step, book) =>
      book(step, "only", () => instance.terminate({ rollback: true })),
    );
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete" });
    expect(done).toEqual(["only"]);
  });

  it("S6-010 takes the place of a cancel whose clean-up waits, and rolls back whatever its code ends with", async () => {
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      await book(step, "flight");
      try {
        await step.sleep("nap", "1 day");
      } finally {
        await step.shielded.sleep("calm", "1 day");
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    expect(done).toEqual(["flight", "undo flight"]);
    expect(await status()).toMatchObject(ROLLED_BACK);
  });

  it("S6-010 joins a rollback that the code has begun", async () => {
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      await book(step, "flight");
      await step.do("pay", { undo: () => instance.terminate({ rollback: true }) }, () => 1);
      throw new RollbackError("sold out");
    });
    await harness.runUntilIdle();
    expect(done).toEqual(["flight", "undo flight"]);
    expect(await status()).toMatchObject({
      status: "terminated",
      error: { code: "ROLLED_BACK", message: "sold out" },
    });
  });

  it("S6-010 whose undo fails leaves the instance errored, and a retry goes on with it", async () => {
    let tries = 0;
    const undo = {
      run: () => {
        if ((tries += 1) === 1) throw new Error("busy");
      },
      retries: { limit: 0 },
    };
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      await book(step, "flight");
      await step.do("pay", { undo }, () => 1);
      await step.sleep("nap", "1 day");
    });
    await harness.runUntilIdle();
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "errored", error: { code: "ROLLBACK_FAILED" } });
    expect(done).toEqual(["flight"]);
    await instance.retry();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject(ROLLED_BACK);
    expect(done).toEqual(["flight", "undo flight"]);
  });

  it("S6-010 is no longer asked of a run that a restart begins", async () => {
    const { harness, instance, done, status } = await createInstance(async (step, book) => {
      await book(step, "flight");
      await step.waitForEvent("go", { type: "go" });
    });
    await harness.runUntilIdle();
    await instance.terminate({ rollback: true });
    await harness.runUntilIdle();
    await instance.restart();
    await harness.runUntilIdle();
    expect(await status()).toEqual({ status: "waiting", runNumber: 2 });
    expect(done).toEqual(["flight", "undo flight", "flight"]);
  });

  it("S6-010 is true or false, and an option of terminate alone", async () => {
    const { harness, instance, status } = await createInstance((step) => step.sleep("nap", 9e6));
    await harness.runUntilIdle();
    const given = (options: object) => options as { rollback: boolean; ifRunNumber: number };
    await expect(instance.terminate(given({ rollback: "yes" }))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    await expect(instance.terminate(given({ rolback: true }))).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    await expect(instance.cancel(given({ rollback: true }))).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
    expect(await status()).toMatchObject({ status: "waiting" });
    await instance.terminate({ rollback: false });
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
  });
});

it("S6-010 a replay finds that scopes were closed whose bodies have ended since, and tells nobody", async () => {
  const told: string[] = [];
  const ends: (() => void)[] = [];
  const { harness, instance, done, status } = await createInstance(async (step, book) => {
    const slow = (own: Pick<WorkflowStep, "do">, name: string): Promise<unknown> =>
      book(own, name, () => new Promise<void>((resolve) => ends.push(resolve)));
    const undo = {
      run: () => {
        done.push("undo pay");
        if (told.push("pay") > 1) return;
        harness.restart();
        return new Promise(() => {});
      },
    };
    await step.do("pay", { undo }, () => 1);
    const all = step.join("all", { a: (own) => slow(own, "a"), b: (own) => slow(own, "b") });
    const each = step.loop("each", {
      state: 0,
      commitEvery: 1,
      run: async (own, n) => {
        if (n === 0) await own.do("quick", () => 1);
        else await own.do("slow", () => new Promise<void>((resolve) => ends.push(resolve)));
        return n === 0 ? Loop.continue(1) : Loop.break(1);
      },
    });
    await step.sleep("moment", 1);
    const ask = book(step, "d", () => instance.terminate({ rollback: true }));
    await Promise.all([all, each, ask.then(() => book(step, "e"))]);
    told.push("went on");
  });
  void harness.runUntilIdle();
  for (let turn = 0; turn < 5; turn += 1) await harness.clock.advance(10);
  for (const end of ends) end();
  for (let turn = 0; turn < 5; turn += 1) await harness.clock.advance(10);
  await harness.clock.advance(60_000);
  await harness.runThroughTime();
  expect(await status()).toMatchObject(ROLLED_BACK);
  expect(told).toEqual(["pay", "pay"]);
  expect(done.slice(3)).toEqual(["undo b", "undo a", "undo d", "undo pay", "undo pay"]);
});

it("S6-010 a scope that comes to its end only in a replay has none: nothing settles once something is undone", async () => {
  let [undos, end] = [0, (): void => {}];
  const { harness, instance, done, status } = await createInstance(async (step, book) => {
    const undo = (): unknown => {
      undos += 1;
      if (undos > 2) return done.push("undo pay");
      harness.restart();
      return new Promise(() => {});
    };
    await step.do("pay", { undo }, () => 1);
    await step.join("all", {
      slow: (own) => book(own, "slow", () => new Promise<void>((resolve) => (end = resolve))),
    });
    await step.sleep("night", "1 hour");
  });
  void harness.runUntilIdle();
  await harness.clock.advance(10);
  await instance.terminate({ rollback: true });
  await harness.clock.advance(20_000);
  end();
  for (let life = 0; life < 3; life += 1) {
    await harness.clock.advance(60_000);
    void harness.runUntilIdle();
  }
  await harness.clock.advance(10);
  expect(await status()).toMatchObject(ROLLED_BACK);
  expect(done).toEqual(["slow", "undo slow", "undo pay"]);
  const page = await harness.history("w", "x");
  expect(page.steps.map(({ stepKey }) => stepKey)).not.toContain("all");
  expect(harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
});

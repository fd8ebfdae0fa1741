/** Rollbacks with crashes, stops, odd names and odd errors. */
import { beforeAll, describe, expect, it } from "vitest";
import { JoinError, Loop, RollbackError, type WorkflowStep } from "../index.ts";
import { createRun } from "../testing/one-run.ts";
import { createGate } from "./testing-rollback-attack.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => import("./rollback.ts"));

const never = (): Promise<never> => new Promise(() => {});

it("S6-009 an undo whose process died in it counts that attempt as lost", async () => {
  const attempts: number[] = [];
  const run = await createRun(async (step) => {
    await step.do(
      "pay",
      {
        undo: (_result, { attempt }) => {
          attempts.push(attempt);
          if (attempts.length > 1) return null;
          run.harness.restart();
          return never();
        },
      },
      () => 1,
    );
    throw new RollbackError();
  });
  void run.harness.runUntilIdle();
  await run.harness.clock.advance(0);
  await run.harness.clock.advance(60_000);
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  expect(attempts).toEqual([1, 2]);
});

describe("S6-009 a body that was under way when its process died may have done its work", () => {
  /** A charge that takes long the first time, and a rollback beside it; its process dies while the rollback waits. */
  async function playDeath(retries: { readonly limit: number }, withUndo: boolean) {
    const done: string[] = [];
    const run = await createRun(async (step) => {
      const undo = withUndo ? { undo: () => void done.push("refund") } : {};
      const charge = step.do("charge", { retries, ...undo }, async () => {
        done.push("charge");
        if (done.length === 1) await never();
      });
      charge.catch(() => {});
      await step.do("check", () => null);
      throw new RollbackError();
    });
    void run.harness.runUntilIdle();
    await run.harness.clock.advance(0);
    // A renewal of the lease records that the charge is running, and that the check is over.
    await run.harness.clock.advance(11_000);
    run.harness.restart();
    await run.harness.clock.advance(60_000);
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
    return { done, rows: await run.rows() };
  }

  it("S6-009 so it runs once more, and is undone", async () => {
    const { done, rows } = await playDeath({ limit: 3 }, true);
    expect(done).toEqual(["charge", "charge", "refund"]);
    expect(rows).toEqual(["charge completed", "charge/undo completed", "check completed"]);
  });

  it("S6-009 but not if it may run once, or if it has no undo", async () => {
    const once = await playDeath({ limit: 0 }, true);
    expect(once).toEqual({ done: ["charge"], rows: ["charge errored", "check completed"] });
    const plain = await playDeath({ limit: 3 }, false);
    expect(plain).toEqual({ done: ["charge"], rows: ["charge cancelled", "check completed"] });
  });
});

it("S6-009 a body that fails while others are waited for is not tried again", async () => {
  let tries = 0;
  const [fails, ends] = [createGate(), createGate()];
  const run = await createRun(async (step) => {
    const slow = step.do("slow", () => ends.opened);
    const flaky = step.do("flaky", { retries: { limit: 9, delay: 0 } }, async () => {
      tries += 1;
      await fails.opened;
      throw new Error("not yet");
    });
    void Promise.allSettled([slow, flaky]);
    await step.do("check", () => null);
    throw new RollbackError();
  });
  const idle = run.harness.runUntilIdle();
  await run.harness.clock.advance(0);
  fails.open();
  for (let turn = 0; turn < 5; turn += 1) await run.harness.clock.advance(10);
  ends.open();
  await idle;
  expect(tries).toBe(1);
  expect(await run.rows()).toEqual(["check completed", "flaky cancelled", "slow completed"]);
});

it("S6-009 an undo that is tried again is given the result as the step gave it", async () => {
  const seen: string[] = [];
  const run = await createRun(async (step) => {
    const undo = (result: { ids: number[] }): void => {
      seen.push(JSON.stringify(result));
      result.ids.pop();
      if (seen.length < 2) throw new Error("busy");
    };
    const options = { undo: { run: undo, retries: { limit: 1, delay: 0 } } };
    await step.do("pay", options, () => ({ ids: [1] }));
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(seen).toEqual(['{"ids":[1]}', '{"ids":[1]}']);
});

it("S6-009 a step with the longest name that there can be is undone", async () => {
  const done: string[] = [];
  const name = "/".repeat(256);
  const run = await createRun(async (step) => {
    await step.do(name, { undo: () => void done.push("undone") }, () => 1);
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  expect(done).toEqual(["undone"]);
});

it("S3-032 a JoinError that a step's body throws fails the run as any error", async () => {
  const run = await createRun((step) =>
    step.do("pay", { retries: { limit: 0 } }, () => {
      throw new JoinError("other", new Map([["a", new RollbackError()]]), 1);
    }),
  );
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({ status: "errored", error: { code: "JOIN_FAILED" } });
});

it("S6-009 undoing steps called undo, a/undo, and those in a scope's branch undo", async () => {
  const done: string[] = [];
  const book = (step: Pick<WorkflowStep, "do">, name: string): Promise<number> =>
    step.do(name, { undo: (_result, { stepKey }) => void done.push(stepKey) }, () => 1);
  const run = await createRun(async (step) => {
    await book(step, "undo");
    await book(step, "a");
    await book(step, "a/undo");
    await step.join("a", { undo: (own) => book(own, "undo") });
    await step.try("a", (own) => book(own, "undo"));
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(done).toEqual([
    "a#3/undo/undo",
    "a#2/undo/undo/undo",
    "a%2Fundo/undo",
    "a/undo",
    "undo/undo",
  ]);
});

it("S6-009 replays of a rollback find nothing that the code no longer calls", async () => {
  let tries = 0;
  const run = await createRun(async (step) => {
    const loop = step.loop("rounds", {
      state: 0,
      commitEvery: 1,
      keep: 0,
      run: async (own, n) => {
        await own.sleep("nap", n < 3 ? 10 : "1 day");
        return Loop.continue(n + 1);
      },
    });
    const race = step.race("race", {
      never: (own) => own.waitForEvent("w", { type: "never" }),
      map: (own) => own.map("all", [1, 2], (inner) => inner.sleep("z", "1 day")),
    });
    void Promise.allSettled([loop, race]);
    const undo = {
      run: (): void => {
        if ((tries += 1) < 3) throw new Error("busy");
      },
      retries: { limit: 5, delay: "1 hour" },
    } as const;
    await step.sleep("first", "1 minute");
    await step.do("pay", { undo }, () => 1);
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
  expect(await run.rows()).toContain("rounds cancelled");
  const warned = run.harness.log.filter(({ level }) => level === "warn");
  expect(warned.map(({ event }) => event)).not.toContain("history.diverged");
  expect(warned.map(({ event }) => event)).not.toContain("step.not_awaited");
});

it("S6-009 an undo that calls steps is told that the run is over, and fails like any other", async () => {
  const run = await createRun(async (step) => {
    const undo = { run: () => step.do("more", () => 1), retries: { limit: 0 } };
    await step.do("pay", { undo }, () => 1);
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({
    error: { code: "ROLLBACK_FAILED", cause: { code: "SCOPE_CLOSED" } },
  });
  expect(await run.rows()).toEqual(["pay completed", "pay/undo errored"]);
});

it("S6-009 an undo that may run once does not run again when its process dies in it", async () => {
  let runs = 0;
  const run = await createRun(async (step) => {
    const undo = {
      run: () => {
        runs += 1;
        run.harness.restart();
        return never();
      },
      retries: { limit: 0 },
    };
    await step.do("pay", { undo }, () => 1);
    throw new RollbackError();
  });
  void run.harness.runUntilIdle();
  await run.harness.clock.advance(0);
  await run.harness.clock.advance(60_000);
  await run.harness.runThroughTime();
  expect(runs).toBe(1);
  expect(await run.status()).toMatchObject({
    error: { code: "ROLLBACK_FAILED", details: { stepKey: "pay", left: [] } },
  });
});

it("S6-009 a history of many pages is undone to its first step", async () => {
  const done: number[] = [];
  const run = await createRun(async (step) => {
    for (let index = 0; index < 1200; index += 1)
      await step.do(`s${index}`, { undo: () => void done.push(index) }, () => index);
    await step.sleep("night", "1 day");
    throw new RollbackError();
  });
  await run.harness.runThroughTime();
  expect(done).toEqual(Array.from({ length: 1200 }, (_, index) => 1199 - index));
});

import { expect, it } from "vitest";
import {
  defineWorkflow,
  Loop,
  NonRetryableError,
  RollbackError,
  type WorkflowStep,
} from "../../index.ts";
import { crashEverywhere } from "./crash-everywhere.ts";
import type { CrashReport } from "./report.ts";

const define = (run: (step: WorkflowStep) => Promise<unknown>) =>
  defineWorkflow({ name: "w" }, (_event, step) => run(step));

const clean = (report: CrashReport): void => {
  expect(report.text).toMatch(/^w: 0 findings/);
  expect(report).toMatchObject({ findings: [], isCutShort: false, isEndCompared: true });
  expect(report.crashCount).toBe(report.pointCount);
  expect(report.crashCount).toBeGreaterThan(2);
};

it("a correct workflow has no findings", async () => {
  const report = await crashEverywhere(
    define(async (step) => {
      const paid = await step.do("pay", ({ idempotencyKey }) => idempotencyKey);
      await step.sleep("night", "1 day");
      return step.do("ship", ({ idempotencyKey }) => `${paid} ${idempotencyKey}`);
    }),
  );
  clean(report);
});

it("a body without its key that runs twice is found", async () => {
  const report = await crashEverywhere(define((step) => step.do("pay", () => 1)));
  console.log(report.text);
  expect(report.findings).toMatchObject([
    { kind: "repeatedEffect", stepPath: "pay", crashCount: 2 },
  ]);
});

it("clock and chance", async () => {
  for (const decide of [
    () => Math.random() < 0.5,
    () => Date.now() % 2 === 0,
    () => new Date().getDay() === 4,
  ]) {
    const report = await crashEverywhere(
      define(async (step) => {
        await step.do("first", ({ idempotencyKey }) => idempotencyKey);
        if (decide()) await step.do("a", ({ idempotencyKey }) => idempotencyKey);
        else await step.do("b", ({ idempotencyKey }) => idempotencyKey);
      }),
    );
    console.log(report.text);
    expect(report.findings).toMatchObject([{ kind: "divergence" }]);
  }
});

it("await outside", async () => {
  const report = await crashEverywhere(define(() => new Promise(() => {})));
  console.log(report.text);
  expect(report.findings).toMatchObject([{ kind: "awaitOutsideStep" }]);
});

it("scopes", async () => {
  let tries = 0;
  const report = await crashEverywhere(
    define(async (step) => {
      const key = ({ idempotencyKey }: { idempotencyKey: string }): string => idempotencyKey;
      const race = await step.race("race", {
        slow: (own) => own.sleep("s", "1 hour"),
        fast: (own) => own.do("f", key),
      });
      const join = await step.join("join", {
        a: (own) => own.do("x", key),
        b: (own) => own.do("x", key),
      });
      const map = await step.map("map", [1, 2, 3], (own, n) => own.do("m", () => n), {
        concurrency: 2,
      });
      const loop = await step.loop("loop", {
        state: 0,
        commitEvery: 2,
        keep: 0,
        run: async (own, n) => {
          await own.do("l", key);
          await own.sleep("z", 1000);
          return n < 6 ? Loop.continue(n + 1) : Loop.break(n);
        },
      });
      const retried = await step.do(
        "retry",
        { retries: { limit: 9, delay: 10 } },
        ({ idempotencyKey }) => {
          if ((tries += 1) % 3 !== 0) throw new Error("no");
          return idempotencyKey;
        },
      );
      const failed = await step.tryDo("fail", () => {
        throw new NonRetryableError("never");
      });
      return [race, join, map, loop, retried, failed.ok, step.random()];
    }),
    { safeToRepeat: ["m"], setup: () => (tries = 0) },
  );
  console.log(report.text);
  clean(report);
});

it("events, error, rollback", async () => {
  const event = await crashEverywhere(
    define(async (step) => {
      const got = await step.waitForEvent<number>("w", { type: "go" });
      const key = ({ idempotencyKey }: { idempotencyKey: string }): string => idempotencyKey;
      await step.do("pay", { undo: (_r, context) => key(context) }, key);
      await step.do("more", { undo: (_r, context) => key(context) }, key);
      if (got.payload === 1) throw new RollbackError();
      throw new NonRetryableError("no");
    }),
    {
      drive: async (harness, instance) => {
        await harness.runUntilIdle();
        await harness.clock.advance(1000);
        await instance.sendEvent({ type: "go", payload: 1 });
        await harness.runThroughTime();
        expect(await instance.status()).toMatchObject({ error: { code: "ROLLED_BACK" } });
      },
    },
  );
  console.log(event.text);
  clean(event);
});

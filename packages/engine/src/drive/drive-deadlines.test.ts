/** Invocations of 1 to 900 s, in virtual time: what fits is never cut off, and what cannot fit fails with a code. */
import { describe, expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import type { HistoryOutput, InstanceStatus } from "../ports/instance-views.ts";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import { drive } from "./drive.ts";
import { createEngine } from "../verbs/engine.ts";

const SECONDS = [1, 2, 5, 10, 15, 26, 30, 60, 120, 300, 600, 900];

/** The time left for bodies: see `marginMs` in `runner/budget.ts`. */
function usableMs(livesMs: number): number {
  return livesMs - Math.min(Math.max(2000, livesMs / 10), livesMs / 2);
}

interface Chain {
  /** How many milliseconds each invocation took, in order. */
  readonly tookMs: readonly number[];
  readonly starts: Readonly<Record<string, number>>;
  readonly details: InstanceStatus;
  readonly steps: HistoryOutput["steps"];
}

interface ChainOptions {
  readonly livesMs: number;
  readonly bodyMs: number;
  readonly expectedStepMs?: number;
}

/** Three steps in a row, driven by one invocation after another as long as each asks for the next. */
async function driveChain({ livesMs, bodyMs, ...expected }: ChainOptions): Promise<Chain> {
  const time = createFakeTime();
  const starts: Record<string, number> = {};
  const THREE = defineWorkflow({ name: "three" }, async (_event, step) => {
    for (const name of ["a", "b", "c"]) {
      await step.do(name, { retries: { limit: 1, delay: 0 }, timeout: "20 minutes" }, async () => {
        starts[name] = (starts[name] ?? 0) + 1;
        await new Promise<void>((resolve) => void time.host.setTimer(bodyMs, resolve));
      });
    }
  });
  const logger = { log: () => undefined };
  const store = createMemoryStore({ now: time.now });
  const engine = createEngine({
    workflows: { THREE },
    store,
    host: time.host,
    logger,
    // Without renewals, of which fifteen minutes would have many.
    leaseMs: 3_600_000,
    limits: { maxLostAttempts: 1 },
    ...expected,
  });
  await engine.workflows.THREE.create({ id: "x" });
  const tookMs: number[] = [];
  for (let isAsked = true; isAsked && tookMs.length < 20;) {
    isAsked = false;
    const startedAt = time.now();
    const wake = async (): Promise<void> => void (isAsked = true);
    const deadline = (): number => startedAt + livesMs;
    const platform = { defer: () => undefined, wakeNow: wake, wakeIn: wake, deadline };
    void drive(engine, platform, { logger }).then(() => tookMs.push(time.now() - startedAt));
    await time.advance(livesMs);
  }
  const { details } = await engine.getInstance("three", "x");
  return { tookMs, starts, details, steps: (await engine.listHistory("three", "x", {})).steps };
}

describe.each(SECONDS)("invocations that live for %i s", (seconds) => {
  const livesMs = seconds * 1000;
  const longestMs = usableMs(livesMs) - 1;

  test.each([1, Math.ceil(longestMs / 3), Math.ceil(longestMs * 0.6), longestMs])(
    "S9-013 R5 bodies of %i ms, as declared, fit: each runs once and none is cut off",
    async (bodyMs) => {
      const chain = await driveChain({ livesMs, bodyMs, expectedStepMs: bodyMs });
      expect(chain.details).toMatchObject({ status: "complete" });
      expect(chain.starts).toEqual({ a: 1, b: 1, c: 1 });
      for (const step of chain.steps) expect(step).toMatchObject({ attempts: 1, lostAttempts: 0 });
      expect(Math.max(...chain.tookMs)).toBeLessThan(livesMs);
      expect(chain.tookMs.length).toBeLessThanOrEqual(3);
    },
  );

  test("S9-013 R5 a body that takes longer than it was declared costs an attempt at most, and not the run", async () => {
    const chain = await driveChain({ livesMs, bodyMs: longestMs, expectedStepMs: 1 });
    expect(chain.details).toMatchObject({ status: "complete" });
    for (const step of chain.steps) expect(step.lostAttempts).toBeLessThanOrEqual(1);
    expect(Math.max(...chain.tookMs)).toBeLessThan(livesMs);
  });

  test("S9-013 R5 a body is not begun where one as long as those before it would be cut off, whatever was declared", async () => {
    const bodyMs = Math.ceil(longestMs * 0.6);
    const chain = await driveChain({ livesMs, bodyMs, expectedStepMs: 1 });
    expect(chain.details).toMatchObject({ status: "complete" });
    expect(chain.starts).toEqual({ a: 1, b: 1, c: 1 });
    for (const step of chain.steps) expect(step).toMatchObject({ attempts: 1, lostAttempts: 0 });
  });

  test("S2-007 a body that fits into no invocation fails by name once its attempts are used up, and nothing goes on", async () => {
    const chain = await driveChain({ livesMs, bodyMs: livesMs });
    expect(chain.details).toMatchObject({
      status: "errored",
      error: { name: "StepMaxAttemptsExceeded" },
    });
    expect(chain.starts).toEqual({ a: 2 });
    expect(chain.steps).toMatchObject([{ attempts: 0, lostAttempts: 2 }]);
    expect(chain.tookMs).toHaveLength(3);
    expect(Math.max(...chain.tookMs)).toBeLessThan(livesMs);
  });
});

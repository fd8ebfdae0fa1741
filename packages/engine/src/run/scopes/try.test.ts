/** Failures as values. */
import { expect, it } from "vitest";
import { NonRetryableError, RollbackError, type WorkflowStep } from "../../index.ts";
import { createRun } from "../../testing/one-run.ts";

const ONCE = { retries: { limit: 0 } } as const;

it.each<[string, string, (step: WorkflowStep) => Promise<unknown>]>([
  [
    "exhausted",
    "no",
    (step) =>
      step.do("a", ONCE, () => {
        throw new RangeError("no");
      }),
  ],
  [
    "failed",
    "never",
    (step) =>
      step.do("a", () => {
        throw new NonRetryableError("never");
      }),
  ],
  ["timeout", "no event", (step) => step.waitForEvent("a", { type: "x", timeout: "1 hour" })],
  ["failed", "plain", () => Promise.reject(new RangeError("plain"))],
])("S6-008 says of what kind a failure is: %s, %s", async (kind, message, body) => {
  const run = await createRun(async (step) => {
    const end = await step.try("t", body);
    await step.sleep("z", "1 hour");
    return end.ok ? null : [end.kind, end.error.message];
  });
  expect(await run.output()).toEqual([kind, expect.stringContaining(message)]);
});

const rollBack = (): never => {
  throw new RollbackError("undo it");
};

it.each<[string, (step: WorkflowStep) => Promise<unknown>]>([
  ["a RollbackError", async () => rollBack()],
  ["a body's RollbackError", (step) => step.do("a", rollBack)],
  ["one in a join", (step) => step.join("j", { a: () => 1, b: rollBack })],
  ["one in a race that all lose", (step) => step.race("r", { a: rollBack })],
  [
    "one in a map in a join",
    (step) =>
      step.join("j", { a: (own) => own.map("m", [1, 2], (item) => item.do("b", rollBack)) }),
  ],
])(
  "S6-008 what asks for a rollback says so, since thrown on it begins one: %s",
  async (_, body) => {
    const author = async (step: WorkflowStep, throwsOn: boolean): Promise<unknown> => {
      await step.do("booked", { undo: () => {} }, () => 1);
      const end = await step.try("t", body);
      await step.sleep("z", "1 hour");
      if (throwsOn && !end.ok) throw end.error;
      return end.ok ? null : end.kind;
    };
    const run = await createRun((step) => author(step, false));
    expect(await run.output()).toBe("rollback");
    const thrown = await createRun((step) => author(step, true));
    await thrown.harness.runThroughTime();
    expect(await thrown.rows()).toContain("booked/undo completed");
  },
);

it("S6-008 an item of a map that tolerates failures says so too, and a JoinError without one is a failure", async () => {
  const run = await createRun(async (step) => {
    const ends = await step.map(
      "m",
      [rollBack, () => Promise.reject(new RangeError("no"))],
      (own, fails) => own.join("j", { a: fails, b: () => 1 }),
      { tolerate: 2 },
    );
    return ends.map((end) => (end.ok ? null : end.kind));
  });
  expect(await run.output()).toEqual(["rollback", "failed"]);
});

it("S6-008 a body that takes too long is a timeout", async () => {
  const run = await createRun(async (step) => {
    const end = await step.tryDo("a", { ...ONCE, timeout: 1000 }, () => new Promise(() => {}));
    return end.ok ? null : end.kind;
  });
  void run.harness.tick();
  await run.harness.clock.advance(2000);
  expect(await run.output()).toBe("timeout");
});

it("S6-008 gives the value of what does not fail, and has no row", async () => {
  const run = await createRun(async (step) => {
    const end = await step.try("t", async (own) => [await own.do("a", () => 1)]);
    const other = await step.tryDo("a", () => 2);
    return [end, other];
  });
  expect(await run.output()).toEqual([
    { ok: true, value: [1] },
    { ok: true, value: 2 },
  ]);
  expect(await run.rows()).toEqual(["a completed", "t/a completed"]);
});

it("S6-008 tryDo gives the failure of its step, and a refused call as well", async () => {
  const run = await createRun(async (step) => {
    const end = await step.tryDo("a", ONCE, () => {
      throw new RangeError("no");
    });
    const refused = await step.tryDo("", () => 1);
    return [end.ok ? null : end.kind, refused.ok ? null : refused.error.name];
  });
  expect(await run.output()).toEqual(["exhausted", "WorkflowError"]);
});

it("a loop of tries around nothing is stopped with RUN_SPINNING, and timers run meanwhile", async () => {
  let timers = 0;
  const run = await createRun(
    async (step) => {
      setImmediate(() => (timers += 1));
      for (;;) await step.try("t", () => 1);
    },
    { limits: { maxIdleCalls: 2000 } },
  );
  await run.harness.runUntilIdle();
  expect(await run.status()).toMatchObject({ error: { code: "RUN_SPINNING" } });
  expect(timers).toBeGreaterThan(0);
});

it("what cannot be looked at is thrown through scopes without harm to the process", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const run = await createRun(async (step) => {
    const end = await step.try("t", (own) =>
      own.join("j", {
        a: () => Promise.reject(proxy as Error),
        b: () => proxy,
      }),
    );
    const loop = await step.try("u", (own) => own.loop("l", { run: () => proxy as never }));
    return [end.ok, loop.ok];
  });
  expect(await run.output()).toEqual([false, false]);
});

/** Concurrent branches, all of them awaited. */
import { expect, it } from "vitest";
import { JoinError, NonRetryableError } from "../../index.ts";
import { createRun } from "../../testing/one-run.ts";

const ONCE = { retries: { limit: 0 } } as const;
const fails = (message: string) => (): never => {
  throw new RangeError(message);
};

it("S6-001 S3-034 branches run at once, each with names of its own, and give one object", async () => {
  const run = await createRun((step) =>
    step.join("book", {
      hotel: (own) => own.do("reserve", () => "room"),
      flight: async (own) => {
        await own.sleep("think", "1 hour");
        return own.do("reserve", () => 7);
      },
    }),
  );
  expect(await run.output()).toEqual({ hotel: "room", flight: 7 });
  expect(await run.rows()).toEqual([
    "book completed",
    "book/flight/reserve completed",
    "book/flight/think completed",
    "book/hotel/reserve completed",
  ]);
});

it("S6-001 a branch that waits stops no other, and what they came to is there when it goes on", async () => {
  let calls = 0;
  const run = await createRun((step) =>
    step.join("both", {
      waits: async (own) => (await own.waitForEvent("word", { type: "word" })).payload,
      works: async (own) => {
        for (const name of ["a", "b", "c"]) await own.do(name, () => (calls += 1));
        return calls;
      },
    }),
  );
  await run.harness.runUntilIdle();
  expect(calls).toBe(3);
  run.harness.restart();
  await run.harness.clock.advance(60_000);
  await run.send("word", "go");
  expect(await run.output()).toEqual({ waits: "go", works: 3 });
  expect(calls).toBe(3);
});

it("S3-036 while a join goes on, the rows below each branch tell how far it is", async () => {
  const run = await createRun((step) =>
    step.join("j", {
      done: (own) => own.do("a", () => 1),
      failed: (own) => own.do("a", ONCE, fails("no")),
      retried: (own) => own.do("a", { retries: { limit: 1, delay: "1 hour" } }, fails("not yet")),
      waits: (own) => own.waitForEvent("a", { type: "word" }),
      works: (own) => own.do("a", () => new Promise<never>(() => {})),
    }),
  );
  void run.harness.tick();
  // A body that outlasts a renewal of its lease has a row.
  for (let second = 0; second < 20; second += 1) await run.harness.clock.advance(1000);
  expect(await run.rows()).toEqual([
    "j/done/a completed",
    "j/failed/a errored",
    "j/retried/a waiting",
    "j/waits/a waiting",
    "j/works/a running",
  ]);
});

it("S6-001 S3-035 failures become one JoinError by branch, after all branches have ended, on a replay as well", async () => {
  const seen: unknown[] = [];
  const run = await createRun(async (step) => {
    try {
      await step.join("all", {
        good: (own) => own.sleep("long", "1 hour"),
        bad: (own) => own.do("charge", ONCE, fails("no money")),
        final: (own) =>
          own.do("check", () => {
            throw new NonRetryableError("never");
          }),
      });
    } catch (error) {
      if (!(error instanceof JoinError)) throw error;
      seen.push([error.code, Object.keys(error.errors), error.message]);
      await step.sleep("after", "1 hour");
      return (error.cause as Error).message;
    }
    return "no error";
  });
  expect(await run.output()).toBe("no money");
  const told = [
    "JOIN_FAILED",
    ["bad", "final"],
    '2 of 3 branches of "all" failed: bad: no money; final: never',
  ];
  expect(seen).toEqual([told, told]);
});

it("S6-001 a join that nobody catches fails the run with JOIN_FAILED", async () => {
  const run = await createRun((step) =>
    step.join("all", { bad: (own) => own.do("charge", ONCE, fails("no money")) }),
  );
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({
    status: "errored",
    error: { code: "JOIN_FAILED", name: "JoinError", cause: { message: "no money" } },
  });
  expect(await run.rows()).toEqual(["all errored", "all/bad/charge errored"]);
});

it("what a branch did not await is aborted and closed as cancelled when the branch ends", async () => {
  const aborted: unknown[] = [];
  const run = await createRun(async (step) => {
    const { quick } = await step.join("j", {
      quick: async (own) => {
        void own.do("forgotten", ({ signal }) => {
          signal.addEventListener("abort", () => aborted.push("forgotten"));
          return new Promise(() => {});
        });
        void own.sleep("forgotten too", "1 day");
        return own.do("done", () => 1);
      },
    });
    await step.sleep("later", "1 hour");
    return quick;
  });
  expect(await run.output()).toBe(1);
  expect(aborted).toEqual(["forgotten"]);
  expect(await run.rows()).toEqual([
    "j completed",
    "j/quick/done completed",
    "j/quick/forgotten cancelled",
    "j/quick/forgotten too cancelled",
    "later completed",
  ]);
  expect(run.harness.log.filter(({ level }) => level === "warn")).toEqual([]);
});

it("a step of a branch that has ended is refused with SCOPE_CLOSED", async () => {
  const run = await createRun(async (step) => {
    const kept = await step.join("j", { a: (own) => [own] });
    return kept.a[0]?.do("late", () => 1).catch((error: { code: string }) => error.code);
  });
  expect(await run.output()).toBe("SCOPE_CLOSED");
});

it.each([
  ["no object", null],
  ["a list", []],
  ["a branch that is no function", { a: 1 }],
  ["a name of no characters", { "": () => 1 }],
  ["a name with NUL", { "\0": () => 1 }],
  ["two names that are alike but for outer spaces", { a: () => 1, " a": () => 2 }],
])("branches are refused that are %s, and the run goes on", async (_what, branches) => {
  const run = await createRun((step) =>
    step.join("j", branches as never).catch((error: { code: string }) => error.code),
  );
  expect(await run.output()).toMatch(/^INVALID_(?:SCOPE|STEP_NAME)$/);
});

it("branches may be called as members of every object are", async () => {
  const run = await createRun(async (step) => {
    const branches = { constructor: () => 1, ["__proto__"]: () => 2, toString: () => 3 };
    const values = await step.join("j", branches);
    return Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .toSorted();
  });
  expect(await run.output()).toEqual(["__proto__ 2", "constructor 1", "toString 3"]);
});

it("S6-001 plain promises over scopes and steps keep one winner on every replay", async () => {
  const winners: unknown[] = [];
  const run = await createRun(async (step) => {
    const winner = await Promise.race([
      step.join("slow", { a: (own) => own.sleep("z", "2 hours") }).then(() => "slow"),
      step.join("quick", { a: (own) => own.sleep("z", "1 hour") }).then(() => "quick"),
    ]);
    winners.push(winner);
    await step.sleep("later", "1 day");
    return winner;
  });
  expect(await run.output()).toBe("quick");
  expect(winners.length).toBeGreaterThan(1);
  expect(new Set(winners)).toEqual(new Set(["quick"]));
});

it("a loop over joins of nothing is stopped, and timers run meanwhile", async () => {
  let timers = 0;
  const run = await createRun(
    async (step) => {
      setImmediate(() => (timers += 1));
      for (;;) await step.join("j", {});
    },
    { limits: { maxStepsPerRun: 500 } },
  );
  await run.harness.runUntilIdle();
  expect(await run.status()).toMatchObject({ error: { code: "RUN_STEP_LIMIT" } });
  expect(timers).toBeGreaterThan(0);
});

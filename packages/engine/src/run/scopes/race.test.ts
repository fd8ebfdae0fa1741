/** The first branch that succeeds, and what happens to the others. */
import { expect, it } from "vitest";
import { Loop, type WorkflowStep } from "../../index.ts";
import { createRun } from "../../testing/one-run.ts";

const ONCE = { retries: { limit: 0 } } as const;

it("S6-003 S3-037 S3-039 gives the winner and what it gave, and its row names the winner", async () => {
  const run = await createRun((step) =>
    step.race("r", {
      slow: (own) => own.sleep("z", "2 hours"),
      quick: async (own) => {
        await own.sleep("z", "1 hour");
        return own.do("answer", () => 42);
      },
    }),
  );
  expect(await run.output()).toEqual({ winner: "quick", value: 42 });
  expect(await run.rows()).toEqual([
    "r completed",
    "r/quick/answer completed",
    "r/quick/z completed",
    "r/slow/z cancelled",
  ]);
  expect((await run.steps()).find(({ stepKey }) => stepKey === "r")).toMatchObject({
    type: "race",
    result: { winner: "quick" },
  });
});

it("S6-003 S3-038 a loser's body is aborted, not awaited, and what it comes to is dropped", async () => {
  const seen: string[] = [];
  let finish = (): void => {};
  const run = await createRun(async (step) => {
    const { winner } = await step.race("r", {
      slow: async (own) => {
        await own.do("work", ({ signal }) => {
          signal.addEventListener("abort", () => seen.push("aborted"));
          return new Promise<void>((resolve) => (finish = resolve));
        });
        seen.push("the loser went on");
      },
      quick: (own) => own.do("answer", () => 1),
    });
    finish();
    await step.sleep("later", "1 hour");
    return winner;
  });
  expect(await run.output()).toBe("quick");
  expect(seen).toEqual(["aborted"]);
  expect((await run.steps()).find(({ stepKey }) => stepKey === "r/slow/work")).toMatchObject({
    status: "cancelled",
    attempts: 1,
    error: { code: "SCOPE_CLOSED" },
  });
});

it("S6-003 S5-025 a wait that lost takes no event: it is there for the next wait", async () => {
  const run = await createRun(async (step) => {
    const first = await step.race("r", {
      word: (own) => own.waitForEvent("w", { type: "word" }),
      time: (own) => own.sleep("z", "1 hour"),
    });
    const event = await step.waitForEvent("w", { type: "word" });
    return [first.winner, event.payload];
  });
  await run.harness.runUntilIdle();
  await run.harness.clock.advance(2 * 3_600_000);
  await run.harness.runUntilIdle();
  await run.send("word", "late");
  expect(await run.output()).toEqual(["time", "late"]);
});

it("S6-003 S5-025 an event that came in the very turn in which its wait lost is given back", async () => {
  const run = await createRun(async (step) => {
    const first = await step.race("r", {
      time: (own) => own.sleep("z", "1 hour"),
      word: (own) => own.waitForEvent("w", { type: "word", timeout: "1 day" }),
    });
    const event = await step.waitForEvent("w", { type: "word" });
    return [first.winner, event.payload];
  });
  await run.harness.runUntilIdle();
  await run.harness.clock.advance(3_600_001);
  // Both had happened when the run looked, and the time was first.
  await run.send("word", "hello");
  expect(await run.output()).toEqual(["time", "hello"]);
  expect((await run.rows()).filter((row) => row.includes("/w "))).toEqual(["r/word/w cancelled"]);
});

it.each<[string, (step: WorkflowStep) => Promise<unknown>]>([
  ["a wait", (step) => step.waitForEvent("b", { type: "b" })],
  ["a batch", (step) => step.receive("b", { types: ["b", "c"], min: 2 })],
])(
  "S6-003 of events that came in one millisecond before the run was looked at, the first decides: for %s",
  async (_what, waitForB) => {
    const run = await createRun(async (step) => {
      const { winner } = await step.race("r", {
        a: (own) => own.waitForEvent("a", { type: "a" }),
        b: waitForB,
      });
      return winner;
    });
    await run.harness.runUntilIdle();
    for (const type of ["c", "b", "a", "c"]) await run.send(type);
    expect(await run.output()).toBe("b");
  },
);

it("S6-003 a batch that was completed after another event came does not go before it", async () => {
  const run = await createRun(async (step) => {
    const { winner } = await step.race("r", {
      batch: (own) => own.receive("b", { types: ["b"], min: 2 }),
      a: (own) => own.waitForEvent("a", { type: "a" }),
    });
    return winner;
  });
  await run.harness.runUntilIdle();
  for (const type of ["b", "a", "b"]) await run.send(type);
  expect(await run.output()).toBe("a");
});

it("S6-003 a branch that fails does not win; a race fails when all have, by branch", async () => {
  const run = await createRun(async (step) => {
    const bad = (name: string) => (): never => {
      throw new RangeError(name);
    };
    const won = await step.race("r", {
      bad: (own) => own.do("a", ONCE, bad("a")),
      good: async (own) => {
        await own.sleep("z", "1 hour");
        return "good";
      },
    });
    const lost = await step.try("t", (own) =>
      own.race("r", { a: (s) => s.do("x", ONCE, bad("a")), b: (s) => s.do("x", ONCE, bad("b")) }),
    );
    return [won.winner, lost.ok ? null : lost.error.message];
  });
  expect(await run.output()).toEqual(["good", '2 of 2 branches of "r" failed: a: a; b: b']);
});

it("S6-003 one that settles with the first end fails with the first failure", async () => {
  const run = await createRun((step) =>
    step
      .race(
        "r",
        {
          bad: (own) =>
            own.do("a", ONCE, () => {
              throw new RangeError("first");
            }),
          good: (own) => own.sleep("z", "1 hour"),
        },
        { settles: "first" },
      )
      .catch((error: Error) => error.message),
  );
  expect(await run.output()).toBe("first");
});

it("S6-003 S3-039 the winner is the same on every replay, though more has come true since", async () => {
  const winners: string[] = [];
  const run = await createRun(async (step) => {
    const { winner } = await step.race("r", {
      hour: (own) => own.sleep("z", "1 hour"),
      word: (own) => own.waitForEvent("w", { type: "word", timeout: "30 days" }),
    });
    winners.push(winner);
    await step.sleep("later", "1 day");
    return winner;
  });
  await run.harness.runUntilIdle();
  await run.send("word");
  await run.harness.runUntilIdle();
  run.harness.restart();
  expect(await run.output()).toBe("word");
  expect(winners).toEqual(["word", "word"]);
});

it("S6-003 a race that comes to another end than history has of it fails the run with HISTORY_DIVERGED", async () => {
  let hours = 1;
  const run = await createRun(async (step) => {
    const { winner } = await step.race("r", {
      a: async (own) => {
        await own.sleep("z", `${hours} hour`);
        if (hours > 1) throw new RangeError("changed");
      },
      b: (own) => own.sleep("z", "2 hours"),
    });
    await step.sleep("later", "1 day");
    return winner;
  });
  await run.harness.runThroughTime(3 * 3_600_000);
  hours = 3;
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({
    status: "errored",
    error: { code: "HISTORY_DIVERGED" },
  });
});

it("a retry, a queued body and a nested scope of a loser all end with it", async () => {
  let starts = 0;
  const run = await createRun(async (step) => {
    const { winner } = await step.race("r", {
      retries: (own) =>
        own.do("again", { retries: { limit: 5, delay: "1 day" } }, () => {
          starts += 1;
          throw new RangeError("no");
        }),
      nested: (own) => own.loop("l", { run: (s) => s.sleep("z", "1 day") }),
      quick: (own) => own.sleep("z", "1 hour"),
    });
    await step.sleep("later", "30 days");
    return winner;
  });
  expect(await run.output()).toBe("quick");
  expect(starts).toBe(1);
  expect((await run.rows()).filter((row) => !row.endsWith("completed"))).toEqual([
    "r/nested/l/~0/z cancelled",
    "r/retries/again cancelled",
  ]);
});

it.each([
  ["no branch", {}, {}],
  ["an unknown way to settle", { a: () => 1 }, { settles: "last" }],
  ["an unknown option", { a: () => 1 }, { settle: "first" }],
])("is refused with %s", async (_what, branches, options) => {
  const run = await createRun((step) =>
    step.race("r", branches, options as never).catch((error: { code: string }) => error.code),
  );
  expect(await run.output()).toMatch(/^(?:INVALID_SCOPE|UNKNOWN_OPTION)$/);
});

it("S6-003 a replay misses no loop that has lost with a position of its own", async () => {
  const run = await createRun(async (step) => {
    await step.race("r", {
      loop: (own) =>
        own.loop("rounds", {
          state: 0,
          commitEvery: 1,
          run: async (round, count) => {
            await round.sleep("nap", "1 minute");
            return Loop.continue(count + 1);
          },
        }),
      quick: (own) => own.sleep("z", "5 minutes"),
    });
    await step.sleep("later", "1 hour");
    return "over";
  });
  expect(await run.output()).toBe("over");
  expect(await run.rows()).toContain("r/loop/rounds cancelled");
  expect(run.harness.log.filter(({ event }) => event === "history.diverged")).toEqual([]);
});

it("S5-025 a wait that lost a plain Promise.race stays usable: it may be awaited later, and has its event then", async () => {
  const run = await createRun(async (step) => {
    const word = step.waitForEvent<string>("w", { type: "word" });
    const first = await Promise.race([word, step.sleep("z", "1 hour")]);
    return [first, (await word).payload];
  });
  await run.harness.runUntilIdle();
  await run.harness.clock.advance(3_600_000);
  await run.harness.runUntilIdle();
  expect(await run.rows()).toEqual(["w waiting", "z completed"]);
  await run.send("word", "late");
  expect(await run.output()).toEqual([undefined, "late"]);
});

it("S5-025 one that nobody awaits any more is closed when the run ends, and no event comes to it then", async () => {
  const run = await createRun(async (step) => {
    const word = step.waitForEvent("w", { type: "word" });
    await Promise.race([word, step.sleep("z", "1 hour")]);
    return "over";
  });
  expect(await run.output()).toBe("over");
  const word = (await run.steps()).find(({ stepKey }) => stepKey === "w");
  expect(word).toMatchObject({ status: "errored", error: { code: "STEP_NOT_AWAITED" } });
  await expect(run.send("word", "late")).rejects.toMatchObject({ code: "INSTANCE_TERMINAL" });
});

/** Places: which step a call is, and what stays the same on every replay. */
import { expect, it } from "vitest";
import { Loop, type WorkflowError, type WorkflowStep } from "../../index.ts";
import { createRun } from "../../testing/one-run.ts";

it("S3-012 S3-016 a step's key is the path to it, its separators escaped, and uses of a name are counted at each place", async () => {
  const run = await createRun(async (step) => {
    for (const _round of [1, 2])
      await step.join("a/b", {
        "x~y": async (own) => {
          await own.do("n#1", () => 1);
          await own.do("n#1", () => 1);
        },
      });
    await step.loop("l", {
      run: async (own) => {
        await own.race("r", { only: (s) => s.do("x", () => 1) });
        return Loop.break();
      },
    });
  });
  await run.output();
  expect((await run.rows()).map((row) => row.split(" ")[0])).toEqual([
    "a%2Fb",
    "a%2Fb#2",
    "a%2Fb#2/x%7Ey/n%231",
    "a%2Fb#2/x%7Ey/n%231#2",
    "a%2Fb/x%7Ey/n%231",
    "a%2Fb/x%7Ey/n%231#2",
    "l",
    "l/~0/r",
    "l/~0/r/only/x",
  ]);
});

it("S3-011 every call has a row of its type; try and what is removed have none", async () => {
  const run = await createRun(async (step) => {
    await step.do("do", () => 1);
    await step.sleep("sleep", 1);
    await step.waitForEvent("message", { type: "go" });
    await step.join("join", { a: (own) => own.do("x", () => 1) });
    await step.race("race", { a: (own) => own.do("x", () => 1) });
    await step.map("map", [1], (own) => own.do("x", () => 1));
    await step.loop("loop", {
      run: async (own) => {
        await own.do("x", () => 1);
        return Loop.break();
      },
    });
    await step.try("try", (own) => own.do("x", () => 1));
    step.removed("gone", "do");
    return step.version("code", 2);
  });
  await run.send("go");
  expect(await run.output()).toBe(2);
  expect((await run.steps()).map(({ stepKey, type }) => `${stepKey}: ${type}`).toSorted()).toEqual([
    "code: version",
    "do: do",
    "join/a/x: do",
    "join: join",
    "loop/~0/x: do",
    "loop: loop",
    "map/0/x: do",
    "map: map",
    "message: waitForEvent",
    "race/a/x: do",
    "race: race",
    "sleep: sleep",
    "try/x: do",
  ]);
});

it("a scope in flight is no other scope of its name", async () => {
  const run = await createRun(async (step) => {
    const first = step.join("j", { a: (own) => own.sleep("z", "1 hour") });
    const code = await step.join("j", {}).catch((error: { code: string }) => error.code);
    await first;
    return [code, await step.join("j", { a: () => 1 })];
  });
  expect(await run.output()).toEqual(["STEP_KEY_DUPLICATE", { a: 1 }]);
});

it("paths that are too long for an index are refused, and say so", async () => {
  const deep = async (step: WorkflowStep): Promise<unknown> => {
    const end = await step.try("d".repeat(200), deep);
    return end.ok ? end.value : (end.error as WorkflowError).code;
  };
  const run = await createRun(deep);
  expect(await run.output()).toBe("INVALID_STEP_NAME");
});

it("S6-018 random and uuid are the same on every replay, differ from call to call and place to place, and have no row", async () => {
  const seen: unknown[][] = [];
  const run = await createRun(async (step) => {
    const draws: unknown[] = [step.random(), step.random(), step.uuid()];
    await step.join("j", {
      a: (own) => draws.push(own.uuid(), own.random()),
      b: (own) => draws.push(own.uuid(), own.random()),
    });
    await step.sleep("z", "1 hour");
    draws.push(step.uuid());
    seen.push(draws);
    await step.sleep("z", "1 hour");
  });
  await run.output();
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
  expect(new Set(seen[0]).size).toBe(8);
  for (const draw of seen[0] ?? [])
    if (typeof draw === "string")
      expect(draw).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    else expect(draw).toBeGreaterThanOrEqual(0);
  expect((await run.rows()).map((row) => row.split(" ")[0])).toEqual(["j", "z", "z#2"]);
});

it("S6-018 random numbers are spread evenly, and no two UUIDs of many are alike", async () => {
  const run = await createRun((step) => {
    const numbers = Array.from({ length: 10_000 }, () => step.random());
    const uuids = Array.from({ length: 10_000 }, () => step.uuid());
    const tenths = Array<number>(10).fill(0);
    for (const number of numbers)
      tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
    return [new Set(uuids).size, Math.min(...tenths) > 850, Math.max(...tenths) < 1150];
  });
  expect(await run.output()).toEqual([10_000, true, true]);
});

it("where names are cached, a scope of the same name gives what it gave", async () => {
  let bodies = 0;
  const run = await createRun(
    async (step) => {
      const values: unknown[] = [];
      for (const _round of [1, 2, 3])
        values.push(await step.join("j", { a: (own) => own.do("x", () => (bodies += 1)) }));
      return values;
    },
    { repeatedNames: "cached" },
  );
  expect(await run.output()).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
  expect(bodies).toBe(1);
});

it("a scope of another kind than history has fails the run with HISTORY_DIVERGED", async () => {
  let kind: "join" | "race" = "join";
  const run = await createRun(async (step) => {
    await step[kind]("s", { a: (own) => own.do("x", () => 1) });
    await step.sleep("z", "1 hour");
  });
  await run.harness.runUntilIdle();
  kind = "race";
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({ error: { code: "HISTORY_DIVERGED" } });
});

it("a scope that nobody awaits is closed when the run ends", async () => {
  const run = await createRun(async (step) => {
    void step.loop("l", {
      commitEvery: 1,
      run: async (own) => {
        await own.sleep("z", "1 day");
      },
    });
    await step.sleep("z", "60 hours");
    return "done";
  });
  expect(await run.output()).toBe("done");
  expect((await run.rows()).filter((row) => !row.endsWith("completed"))).toEqual([
    "l errored",
    "l/~2/z errored",
  ]);
});

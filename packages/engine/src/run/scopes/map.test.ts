/** A branch for each item. */
import { expect, it } from "vitest";
import { createRun } from "../../testing/one-run.ts";

const ONCE = { retries: { limit: 0 } } as const;

it("S6-004 gives values in the order of the items, so many in work at once", async () => {
  let running = 0;
  let most = 0;
  const run = await createRun((step) =>
    step.map(
      "double",
      [5, 4, 3, 2, 1],
      (own, item, index) =>
        own.do("work", async () => {
          running += 1;
          most = Math.max(most, running);
          for (let turn = 0; turn < item * 3; turn += 1) await new Promise((r) => setImmediate(r));
          running -= 1;
          return [item * 2, index];
        }),
      { concurrency: 2 },
    ),
  );
  expect(await run.output()).toEqual([
    [10, 0],
    [8, 1],
    [6, 2],
    [4, 3],
    [2, 4],
  ]);
  expect(most).toBe(2);
});

it("S6-004 keys branches by item: items that move between deploys keep their steps", async () => {
  let ids = ["a", "b"];
  const done: string[] = [];
  const run = await createRun(async (step) => {
    const work = (name: string): Promise<unknown> =>
      step.map("m", ids, (own, id) => own.do(name, () => void done.push(`${name} ${id}`)), {
        key: (id) => id,
      });
    await work("first");
    await step.sleep("z", "1 hour");
  });
  await run.harness.runUntilIdle();
  ids = ["b", "a"];
  await run.output();
  expect(done.toSorted()).toEqual(["first a", "first b"]);
  expect((await run.rows()).filter((row) => row.startsWith("m/"))).toEqual([
    "m/a/first completed",
    "m/b/first completed",
  ]);
});

const failing = (failures: number) => (step: Parameters<Parameters<typeof createRun>[0]>[0]) =>
  step.map(
    "m",
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    (own, item) =>
      own.do("work", ONCE, () => {
        if (item < failures) throw new RangeError(`item ${item}`);
        return item;
      }),
    { tolerate: "20%", concurrency: 1 },
  );

it("S6-004 tolerates failures up to a share, and gives them as values", async () => {
  const run = await createRun(failing(2));
  const ends = (await run.output()) as { ok: boolean; kind?: string; value?: number }[];
  expect(ends.map(({ ok }) => ok)).toEqual([false, false, ...Array(8).fill(true)]);
  expect(ends[0]).toMatchObject({ kind: "exhausted" });
  expect(ends[9]).toEqual({ ok: true, value: 9 });
});

it("S6-004 with one failure too many no further item begins, and the map fails by item", async () => {
  const run = await createRun(failing(3));
  await run.harness.runThroughTime();
  expect(await run.status()).toMatchObject({
    error: { code: "JOIN_FAILED", details: { failed: 3, count: 10, branches: ["0", "1", "2"] } },
  });
  expect((await run.rows()).map((row) => row.split(" ")[0])).toEqual([
    "m",
    "m/0/work",
    "m/1/work",
    "m/2/work",
  ]);
});

it("S6-004 without tolerance the first failure fails it, when what is in work has ended", async () => {
  const run = await createRun(async (step) => {
    const end = await step.try("t", (own) =>
      own.map("m", [1, 2, 3], (s, item) =>
        item === 1
          ? s.do("work", ONCE, () => {
              throw new RangeError("one");
            })
          : s.sleep("z", "1 hour"),
      ),
    );
    return end.ok;
  });
  expect(await run.output()).toBe(false);
  expect((await run.rows()).filter((row) => row.includes("/z"))).toEqual([
    "t/m/1/z completed",
    "t/m/2/z completed",
  ]);
});

it("a list that author code changes meanwhile is gone through as it was", async () => {
  const items = [1, 2];
  const run = await createRun((step) =>
    step.map("m", items, (own, item) => own.do("w", () => items.push(item)), { concurrency: 1 }),
  );
  expect(await run.output()).toEqual([3, 4]);
});

it("S6-002 a thousand branches cost the commits of the longest one", async () => {
  const run = await createRun((step) =>
    step.map("m", Array.from({ length: 1000 }).keys(), async (own, item) => {
      await own.do("a", () => item);
      return own.do("b", () => item);
    }),
  );
  expect(await run.output()).toHaveLength(1000);
});

it("a list that does not end is refused, and read no further than a run could go", async () => {
  let read = 0;
  const endless = {
    *[Symbol.iterator]() {
      for (;;) yield (read += 1);
    },
  };
  const run = await createRun(
    (step) => step.map("m", endless, () => 1).catch((error: { code: string }) => error.code),
    { limits: { maxStepsPerRun: 100 } },
  );
  expect(await run.output()).toBe("INVALID_SCOPE");
  expect(read).toBe(101);
});

it.each([
  ["no list", 5, (): unknown => 1, {}],
  ["no function", [1], null, {}],
  ["a concurrency of none", [1], () => 1, { concurrency: 0 }],
  ["a share above all", [1], () => 1, { tolerate: "101%" }],
  ["a tolerance that is no count", [1], () => 1, { tolerate: 0.5 }],
  ["two items of one key", [1, 2], () => 1, { key: (): unknown => "same" }],
  ["a key that is no name", [1], () => 1, { key: (): unknown => ({}) }],
  ["an unknown option", [1], () => 1, { concurency: 2 }],
])("is refused with %s", async (_what, items, run, options) => {
  const refused = await createRun((step) =>
    step
      .map("m", items as never, run as never, options as never)
      .catch((error: { code: string }) => error.code),
  );
  expect(await refused.output()).toMatch(/^(?:INVALID_SCOPE|UNKNOWN_OPTION)$/);
});

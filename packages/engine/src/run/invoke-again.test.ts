/** Children of parents that die, are retried, or are rewound. */
import { describe, expect, test } from "vitest";
import { createHarness } from "../testing/harness.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { define, createFamily, codes, waitForGo } from "./testing-invoke.ts";

describe("S6-013 a parent, or a child, whose process dies", () => {
  /** Plays a family; a process is killed at a commit. */
  async function play(killAt: number, isApplied: boolean) {
    const started: string[] = [];
    const P = define("p", async (step) => {
      const first = await step.invoke("c", { params: "a" });
      const both = await step.join("both", {
        b: (own) => own.invoke("c", { params: "b" }),
        c: (own) => own.tryDo("fails", async () => own.now()),
      });
      return [first, both.b];
    });
    const C = define("c", async (step, name: string) => {
      await step.do("note", () => void started.push(name));
      await step.sleep("nap", 1000);
      return name;
    });
    const { harness, time, killed, commits } = createKilledHarness(
      { workflows: { P, C } },
      { killAt, isApplied },
    );
    await harness.workflows.P.create({ id: "x" });
    await Promise.race([harness.runThroughTime(), killed]);
    await time.advance(60_000);
    await harness.runThroughTime();
    const status = await harness.status("p", "x");
    const children = (await harness.engine.listInstances("c", {})).instances;
    const { events } = await harness.history("p", "x");
    return { status, children, events, commits: commits() };
  }

  test("S6-013 has one child a step, and gets its result once, wherever it dies", async () => {
    const whole = await play(0, true);
    expect(whole.commits).toBeGreaterThan(7);
    for (let killAt = 0; killAt <= whole.commits; killAt += 1)
      for (const isApplied of [true, false]) {
        const { status, children, events } = await play(killAt, isApplied);
        const where = `killed at commit ${killAt}, ${isApplied ? "behind" : "before"} it`;
        expect(status, where).toMatchObject({ status: "complete", output: ["a", "b"] });
        expect(children, where).toHaveLength(2);
        expect(
          events.map(({ consumedByStepKey }) => consumedByStepKey),
          where,
        ).toEqual(["c", "both/b/c"]);
      }
  });
});

describe("S6-022 a parent that is brought back to a step before its child", () => {
  test("S6-022 S6-012 starts another child", async () => {
    const { harness, instance, status, children } = await createFamily(
      async (step) => {
        const aim = await step.do("aim", () => 0);
        return [aim, await step.invoke("c")];
      },
      () => "grown",
    );
    expect(await status()).toMatchObject({ status: "complete" });
    await instance.rewind("aim");
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: [0, "grown"] });
    expect(await children()).toHaveLength(2);
  });
});

describe("S6-021 a parent that is retried", () => {
  test("S6-021 starts another child in place of one that failed", async () => {
    let isBroken = true;
    const { harness, instance, status, children } = await createFamily(
      (step) => step.invoke("c", { id: "order" }),
      () => {
        if (isBroken) throw new Error("broken");
        return "mended";
      },
    );
    expect(await status()).toMatchObject({ status: "errored", error: { code: "CHILD_FAILED" } });
    isBroken = false;
    await instance.retry();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: "mended" });
    expect((await children()).map(({ id }) => id)).toEqual(["order-2", "order"]);
  });
});

describe("S6-022 a parent that is brought back", () => {
  test("S6-022 starts another child, and is told again of one with an id of its own that had ended", async () => {
    let played = 0;
    for (const [id, count] of [
      [undefined, 2],
      ["order", 1],
    ] as const) {
      const { harness, instance, status, children } = await createFamily(
        async (step) => [await step.invoke("c", id === undefined ? {} : { id })],
        () => `child ${(played += 1)}`,
      );
      expect(await status()).toMatchObject({ status: "complete" });
      await instance.rewind("c");
      await harness.runUntilIdle();
      expect(await status()).toMatchObject({ status: "complete", output: [`child ${played}`] });
      expect(await children()).toHaveLength(count);
    }
  });

  test("S6-022 is told again that an id is taken", async () => {
    const { harness, instance, status } = await createFamily(
      (step) => codes(() => step.invoke("c", { id: "taken" })),
      () => 1,
    );
    const parent = await harness.workflows.P.create({ id: "y" });
    await harness.runUntilIdle();
    const output = ["INSTANCE_ID_ALREADY_EXISTS", undefined];
    expect(await harness.status("p", "y")).toMatchObject({ status: "complete", output });
    await parent.rewind("c");
    await harness.runUntilIdle();
    expect(await harness.status("p", "y")).toMatchObject({ status: "complete", output });
    expect([instance.id, await status()]).toMatchObject(["x", { output: [1] }]);
  });

  test("S6-022 is told of a child that ends before the step begins again", async () => {
    const { harness, instance, status } = await createFamily(async (step) => {
      await step.do("first", () => 1);
      return step.invoke("c", { id: "slow" });
    }, waitForGo);
    await instance.pause();
    await instance.rewind("first");
    await harness.sendEvent("c", "slow", { type: "go", payload: "gone" });
    await harness.runUntilIdle();
    expect(await harness.status("c", "slow")).toMatchObject({ status: "complete" });
    await instance.resume();
    await harness.runUntilIdle();
    expect(await status()).toMatchObject({ status: "complete", output: { payload: "gone" } });
  });
});

test("S6-011 S6-013 a child whose step a deploy has removed, alone or with its scope, ends as its onParentEnd says", async () => {
  let isNew = false;
  const P = define("p", async (step) => {
    if (isNew) {
      step.removed("c", "invoke");
      step.removed("both", "join");
    } else
      await Promise.all([
        step.invoke("c", { id: "alone", onParentEnd: "terminate" }),
        step.join("both", {
          left: (own) => own.invoke("c", { id: "inside", onParentEnd: "terminate" }),
          kept: (own) => own.invoke("c", { id: "kept" }),
        }),
      ]);
    await step.sleep("night", "1 day");
  });
  const C = define("c", (step) => step.sleep("nap", "9 days"));
  const harness = createHarness({ workflows: { P, C } });
  await harness.workflows.P.create({ id: "x" });
  await harness.runUntilIdle();
  isNew = true;
  await harness.clock.advance(1000);
  await harness.engine.control("p", "x", "pause");
  await harness.engine.control("p", "x", "resume");
  await harness.runUntilIdle();
  const statusOf = async (id: string) => (await harness.status("c", id)).status;
  expect(await Promise.all(["alone", "inside", "kept"].map(statusOf))).toEqual([
    "terminated",
    "terminated",
    "waiting",
  ]);
});

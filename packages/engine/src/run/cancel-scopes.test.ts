/** Scopes of a run that is cancelled, and branches that ask for a rollback. */
import { describe, expect, it } from "vitest";
import {
  CancelledError,
  defineWorkflow,
  Loop,
  RollbackError,
  type WorkflowStep,
} from "../index.ts";
import { createKilledHarness } from "../testing/killed-at-commit.ts";
import { type Author, createInstance } from "./testing-cancel.ts";

describe("S6-020 scopes of a run that is cancelled", () => {
  const scopes: Readonly<Record<string, Author>> = {
    join: (step) =>
      step.join("all", { a: (own) => own.sleep("z", "1 day"), b: (own) => own.do("d", () => 1) }),
    race: (step) =>
      step.race("any", { a: (own) => own.sleep("z", "1 day"), b: (own) => own.sleep("y", 9e7) }),
    map: (step) => step.map("each", [1, 2, 3], (own) => own.sleep("z", "1 day")),
    "tolerant map": (step) =>
      step.map("each", [1, 2, 3], (own) => own.sleep("z", "1 day"), {
        tolerate: "100%",
        concurrency: 1,
      }),
    loop: (step) =>
      step.loop("rounds", {
        run: async (own) => {
          await own.sleep("z", "1 day");
          return Loop.continue();
        },
      }),
  };
  it.each(Object.entries(scopes))("S6-020 throw what their steps do: %s", async (_name, scope) => {
    const caught: unknown[] = [];
    const { harness, instance, rows, status } = await createInstance(async (step) => {
      await Promise.resolve(scope(step)).catch((error: unknown) => caught.push(error));
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(caught).toEqual([expect.any(CancelledError)]);
    expect(await status()).toEqual({ status: "terminated", runNumber: 1 });
    expect((await rows()).filter((row) => /pending|running|waiting/.test(row))).toEqual([]);
  });

  it("S6-020 as values they are cancelled, and what is called next is too", async () => {
    const kinds: string[] = [];
    const { harness, instance } = await createInstance(async (step) => {
      for (let round = 0; round < 3; round += 1) {
        const end = await step.try("nap", (own) => own.sleep("z", "1 day"));
        if (!end.ok) kinds.push(end.kind);
        const next = await step.tryDo("do", () => 1);
        if (!next.ok) kinds.push(next.kind);
      }
    });
    await harness.runUntilIdle();
    await instance.cancel();
    await harness.runUntilIdle();
    expect(kinds).toEqual(Array.from({ length: 6 }, () => "cancelled"));
  });
});

describe("S6-020 a branch that asks for a rollback", () => {
  const rollingBack: Readonly<Record<string, (step: WorkflowStep, both: Branches) => unknown>> = {
    join: (step, both) => step.join("all", both),
    "a join in a join": (step, both) =>
      step.join("outer", {
        inner: (own) => own.join("all", both),
        z: (own) => own.sleep("z", "1 day"),
      }),
    race: (step, both) => step.race("all", both),
    map: (step, both) => step.map("all", Object.values(both), (own, run) => run(own)),
  };
  type Branches = Readonly<Record<"a" | "b", (step: WorkflowStep) => Promise<void>>>;
  const undone: string[] = [];
  const author =
    (run: (step: WorkflowStep, both: Branches) => unknown): Author =>
    async (step) => {
      await step.do("book", { undo: () => void undone.push("book") }, () => 1);
      await run(step, {
        a: (own) => own.sleep("nap", "1 day"),
        b: (own) =>
          own.sleep("other", "1 day").catch((error: unknown) => {
            throw new RollbackError("give it back", { cause: error });
          }),
      });
    };
  it.each(Object.entries(rollingBack))(
    "S6-020 is heard beside one that was only cancelled, in a %s",
    async (_name, run) => {
      undone.length = 0;
      const { harness, instance, status } = await createInstance(author(run));
      await harness.runUntilIdle();
      await instance.cancel();
      await harness.runUntilIdle();
      expect(undone).toEqual(["book"]);
      expect(await status()).toMatchObject({
        status: "terminated",
        error: { code: "ROLLED_BACK" },
      });
    },
  );

  it.each([1, 2, 3, 4])(
    "S6-020 is heard by whoever takes the run over, killed at commit %i",
    async (killAt) => {
      undone.length = 0;
      const W = defineWorkflow({ name: "w" }, async (_event, step) => {
        await author((own, both) => own.join("all", both))(step);
      });
      let isAsked = false;
      const { harness, time, killed } = createKilledHarness(
        { workflows: { W } },
        { killAt, isApplied: true, isCounted: () => isAsked },
      );
      const instance = await harness.workflows.W.create({ id: "x" });
      await harness.runUntilIdle();
      isAsked = true;
      await instance.cancel();
      await Promise.race([harness.runUntilIdle(), killed]);
      await time.advance(60_000);
      await harness.runUntilIdle();
      expect(await harness.status("w", "x")).toMatchObject({
        status: "terminated",
        error: { code: "ROLLED_BACK" },
      });
      expect(new Set(undone)).toEqual(new Set(["book"]));
    },
  );
});

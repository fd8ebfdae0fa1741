/** Steps that are called inside the body of another step. */
import { describe, expect, test } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness, type LogLine } from "../testing/harness.ts";

function play(run: (step: WorkflowStep) => unknown) {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => run(step));
  return createHarness({ workflows: { W } });
}

const linesOf = (log: readonly LogLine[], event: string): readonly LogLine["fields"][] =>
  log.filter((line) => line.event === event).map(({ fields }) => fields);

const CALLS: readonly (readonly [string, (step: WorkflowStep) => unknown])[] = [
  ["do", (step) => step.do("inner", () => "ran")],
  ["do with options", (step) => step.do("inner", { timeout: "1 minute" }, () => "ran")],
  ["sleep", (step) => step.sleep("inner", "1 hour")],
  ["sleepUntil", (step) => step.sleepUntil("inner", new Date(0))],
  ["waitForEvent", (step) => step.waitForEvent("inner", { type: "go" })],
  ["receive", (step) => step.receive("inner", { types: ["go"] })],
  ["join", (step) => step.join("inner", { a: (own) => own.do("a", () => "ran") })],
  ["shielded", (step) => step.shielded.do("inner", () => "ran")],
  ["progress", (step) => step.progress("inner")],
];

describe("a step that is called in the body of another one", () => {
  test.each(CALLS)(
    "is refused by its code, and the body is not run again: %s",
    async (_name, call) => {
      let bodies = 0;
      const harness = play((step) =>
        step.do("outer", () => {
          bodies += 1;
          return call(step);
        }),
      );
      await harness.workflows.W.create({ id: "x" });
      await harness.runUntilIdle();
      const { status, error } = await harness.status("w", "x");
      expect([status, error?.code]).toEqual(["errored", "STEP_IN_BODY"]);
      expect(error?.message).toContain('"outer"');
      expect(bodies).toBe(1);
      const { steps } = await harness.history("w", "x");
      expect(steps.map(({ stepKey }) => stepKey)).toEqual(["outer"]);
      expect(linesOf(harness.log, "step.refused")).toMatchObject([{ code: "STEP_IN_BODY" }]);
    },
  );

  test.each<[string, (step: WorkflowStep) => unknown]>([
    ["version", (step) => step.version("inner", 2)],
    ["removed", (step) => step.removed("inner", "do")],
  ])("throws its code at once where its outcome is not awaited: %s", async (_name, call) => {
    const seen: unknown[] = [];
    const harness = play((step) =>
      step.do("outer", () => {
        try {
          return call(step);
        } catch (error) {
          seen.push(error);
          throw error;
        }
      }),
    );
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    const { status, error } = await harness.status("w", "x");
    expect([status, error?.code]).toEqual(["errored", "STEP_IN_BODY"]);
    expect(seen).toMatchObject([{ code: "STEP_IN_BODY", details: { outerKey: "outer" } }]);
  });

  test("is told of once, and the test fails, where the body has awaited something before", async () => {
    const harness = play((step) =>
      step.do("outer", async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        await step.do("inner", () => 1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        return step.do("second", () => 2);
      }),
    );
    await harness.workflows.W.create({ id: "x" });
    await expect(harness.runUntilIdle()).rejects.toThrow("step.called_in_body");
    expect(linesOf(harness.log, "step.called_in_body")).toMatchObject([
      { stepKey: "inner", code: "STEP_IN_BODY", bodies: ["outer"] },
    ]);
  });
});

describe("a step that is called beside the body of another one", () => {
  test("is one like any other, in branches and behind promises", async () => {
    const harness = play(async (step) => {
      const branch = async (name: string, ms: number): Promise<string> => {
        await step.do(`${name} first`, () => new Promise((resolve) => setTimeout(resolve, ms)));
        await Promise.resolve();
        await step.do(`${name} second`, () => new Promise((resolve) => setTimeout(resolve, ms)));
        return step.do(`${name} third`, () => name);
      };
      const apart = await Promise.all([branch("a", 1), branch("b", 3), branch("c", 0)]);
      const joined = await step.join("j", {
        x: async (own) => {
          await own.do("one", () => new Promise((resolve) => setTimeout(resolve, 2)));
          return own.do("two", () => "x");
        },
        y: async (own) => {
          for (let n = 0; n < 3; n += 1) await own.do(`n${n}`, () => Promise.resolve(n));
          return "y";
        },
      });
      return [...apart, joined];
    });
    await harness.workflows.W.create({ id: "x" });
    await harness.runUntilIdle();
    expect(await harness.status("w", "x")).toMatchObject({
      status: "complete",
      output: ["a", "b", "c", { x: "x", y: "y" }],
    });
    expect(harness.log.filter(({ level }) => level !== "debug")).toEqual([]);
  });
});

/** Effects that `crashEverywhere` reports as repeated, and effects that it accepts. */
import { describe, expect, it } from "vitest";
import { Loop, RollbackError, type WorkflowStep } from "../../index.ts";
import { assertNoFindings } from "./report.ts";
import { crash, expectClean, key, kinds } from "./testing-crashes.ts";

describe("crashEverywhere finds effects that are repeated", () => {
  it("of a body that never reads its idempotency key, and names the step and the crash", async () => {
    let charges = 0;
    const report = await crash((step) => step.do("pay", () => (charges += 1) > 0));
    // Twice without a crash, once when the only commit was applied, and twice in each of the others.
    expect(charges).toBe(7);
    expect(kinds(report)).toEqual(["repeatedEffect pay"]);
    expect(report.findings[0]).toMatchObject({
      crash: 'after the body of "pay" returned, before that was committed',
      crashCount: 2,
    });
    expect(() => assertNoFindings(report)).toThrow(
      '1. repeatedEffect: the body of step "pay" ran to its end more than once',
    );
  });

  it("in branches, iterations and undos, each once, by their readable paths", async () => {
    const run = async (step: WorkflowStep): Promise<never> => {
      await step.join("book", { "a/b": (own) => own.do("50%", () => 1) });
      await step.loop("poll", {
        state: 0,
        run: async (own, n) => {
          await own.do("ask", () => 1);
          await own.do("ask", () => 1);
          return n < 2 ? Loop.continue(n + 1) : Loop.break();
        },
      });
      await step.do("pay", { undo: () => 1 }, key);
      throw new RollbackError();
    };
    expect(kinds(await crash(run))).toEqual([
      "repeatedEffect book/a/b/50%",
      "repeatedEffect poll/ask",
      "repeatedEffect pay/undo",
    ]);
  });

  it("in branches that are called as options of other scopes are", async () => {
    const pay = (own: WorkflowStep): Promise<number> => own.do("pay", () => 1);
    const report = await crash((step) => step.join("book", { run: pay, state: pay, undo: pay }));
    expect(kinds(report)).toEqual([
      "repeatedEffect book/run/pay",
      "repeatedEffect book/state/pay",
      "repeatedEffect book/undo/pay",
    ]);
  });

  it("but not of steps that are said to be safe to repeat, by name or by path", async () => {
    const run = async (step: WorkflowStep): Promise<void> => {
      await step.do("load", () => 1);
      await step.join("book", { hotel: (own) => own.do("find", () => 1) });
    };
    expectClean(await crash(run, { safeToRepeat: ["load", "book/hotel/find"] }));
    const other = await crash(run, { safeToRepeat: ["loa", "hotel"] });
    expect(kinds(other)).toEqual(["repeatedEffect load", "repeatedEffect book/hotel/find"]);
  });

  it("and not of a body in flight elsewhere, whose process died before it had ended", async () => {
    const run = (step: WorkflowStep): Promise<unknown> =>
      Promise.all([
        step.do("quick", key),
        step.do(
          "slow",
          { retries: { limit: 3 } },
          () => new Promise((resolve) => setTimeout(resolve, 0)),
        ),
      ]);
    const report = await crash(run);
    const [finding] = report.findings;
    expect(kinds(report)).toEqual(["repeatedEffect slow"]);
    expect(finding?.crash).not.toContain('body of "quick" returned');
  });
});

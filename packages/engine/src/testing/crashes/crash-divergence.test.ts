/** Findings of `crashEverywhere` about code that does not follow its history. */
import { describe, expect, it } from "vitest";
import { Loop, NonRetryableError, type StepContext, type WorkflowStep } from "../../index.ts";
import { crash, key, kinds } from "./testing-crashes.ts";

describe("crashEverywhere finds divergence", () => {
  const decided: readonly (readonly [string, () => boolean])[] = [
    ["chance", () => Math.random() < 0.5],
    ["the clock's parity", () => Date.now() % 2 === 0],
    ["the weekday", () => new Date().getDay() === 4],
  ];
  for (const [name, decide] of decided)
    it(`where ${name} decides which step is called`, async () => {
      const run = async (step: WorkflowStep): Promise<void> => {
        await step.do("first", key);
        await step.do(decide() ? "a" : "b", key);
      };
      const report = await crash(run);
      expect(kinds(report)).toEqual(["divergence"]);
      expect(report.findings[0]?.message).toBe(
        'after the same outcomes, the workflow called step.do "b" where it called step.do "a" before',
      );
      expect(report.findings[0]?.crashCount).toBeGreaterThan(2);
    });

  it("where what one process remembers decides, which shows by a crash alone", async () => {
    let calls = 0;
    const run = async (step: WorkflowStep): Promise<void> => {
      calls += 1;
      await step.do("first", key);
      if (calls === 1) await step.do("only at first", key);
    };
    const report = await crash(run, { setup: () => (calls = 0) });
    expect(kinds(report)).toEqual(["divergence"]);
    expect(report.findings[0]?.crash).toMatch(/^(before|after) /);
  });

  it("where a replay of a branch or an iteration calls another step", async () => {
    const run = (step: WorkflowStep): Promise<unknown> =>
      step.loop("loop", {
        state: 0,
        run: async (own, n) => {
          await own.do("first", key);
          await own.do(n === 1 && Math.random() < 0.5 ? "a" : "b", key);
          return n < 2 ? Loop.continue(n + 1) : Loop.break();
        },
      });
    const report = await crash(run);
    expect(kinds(report)).toEqual(["divergence loop"]);
    expect(report.findings[0]?.message).toContain('"loop/~1" called step.do');
  });

  it("where an iteration goes on with a state, or an item is made, that no step gave", async () => {
    const looped = await crash((step) =>
      step.loop("loop", {
        state: 0,
        run: async (own, n) => {
          await own.do("first", key);
          return n === 0 ? Loop.continue(1 + Math.random()) : Loop.break();
        },
      }),
    );
    expect(kinds(looped)).toEqual(["divergence loop"]);
    expect(looped.findings[0]?.message).toContain('"loop/~0" returned');
    const mapped = await crash((step) =>
      step.map("map", [Math.random()], (own) => own.do("first", key)),
    );
    expect(kinds(mapped)).toEqual(["divergence map/0"]);
  });

  it("but not where a lost step, which may run once, gave the state of a loop", async () => {
    const run = (step: WorkflowStep): Promise<unknown> =>
      step.loop("loop", {
        state: "",
        commitEvery: 1,
        keep: 0,
        run: async (own, before, iteration) => {
          const once = await own.tryDo("once", { retries: { limit: 0 } }, () => 1);
          await own.sleep("nap", 1000);
          return iteration < 3 ? Loop.continue(`${before}${once.ok}`) : Loop.break(before);
        },
      });
    const report = await crash(run);
    expect(report.findings).toEqual([]);
  });

  it("where it returns what no step gave it", async () => {
    const report = await crash(async (step) => {
      await step.do("pay", key);
      return Date.now();
    });
    expect(kinds(report)).toEqual(["divergence"]);
    expect(report.findings[0]?.message).toMatch(
      /after the same outcomes, the workflow returned \d+ where/,
    );
  });

  it("where a body that ran before comes to something else, in spite of its key", async () => {
    const charged = new Set<string>();
    const charge = (context: StepContext): string => {
      const idempotencyKey = key(context);
      if (charged.has(idempotencyKey)) throw new NonRetryableError("already charged");
      charged.add(idempotencyKey);
      return "charged";
    };
    const report = await crash((step) => step.do("pay", charge), { setup: () => charged.clear() });
    expect(kinds(report)).toEqual(["divergence"]);
    expect(report.findings[0]?.message).toContain('step.do "pay" threw');
    expect(report.findings[0]?.message).toContain("already charged");
  });

  it("but compares no ends that differ without a crash too", async () => {
    const run = (step: WorkflowStep): Promise<string> =>
      step.do("id", (context) => key(context) + crypto.randomUUID() + Date.now());
    const report = await crash(run);
    expect(report).toMatchObject({ findings: [], isEndCompared: false, isCutShort: false });
    expect(report.text).toContain("Ends were not compared");
  });
});

describe("crashEverywhere finds what is awaited outside of steps", () => {
  it("at once, where it never ends", async () => {
    const report = await crash(() => new Promise(() => {}));
    expect(kinds(report)).toEqual(["awaitOutsideStep"]);
    expect(report).toMatchObject({ crashCount: 0, isCutShort: true });
    expect(report.findings[0]?.message).toContain("put it into step.do");
  });

  it("where only a replay awaits it", async () => {
    let calls = 0;
    const run = async (step: WorkflowStep): Promise<void> => {
      await step.do("pay", key);
      calls += 1;
      if (calls > 1) await new Promise(() => {});
    };
    const report = await crash(run, { setup: () => (calls = 0) });
    expect(kinds(report)).toContain("awaitOutsideStep");
    expect(report.isCutShort).toBe(false);
  });
});

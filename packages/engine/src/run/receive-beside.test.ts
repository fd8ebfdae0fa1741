/** Batches of events beside other waits. */
import { beforeAll, describe, expect, it } from "vitest";
import type { WorkflowStep } from "../index.ts";
import { createRun } from "../testing/one-run.ts";
import { said, sendAll, TYPES } from "./testing-receive.ts";

// Loaded in advance, so that loading takes no time.
beforeAll(() => Promise.all([import("./scopes/run-scope.ts"), import("./receive-step.ts")]));

describe("S6-014 waits beside each other", () => {
  /** The waits of one run take each event once, and the same ones on every replay. */
  async function playBeside(
    author: (step: WorkflowStep) => Promise<unknown>,
    events: readonly string[],
  ): Promise<unknown> {
    const seen: string[] = [];
    const run = await createRun(async (step) => {
      const result = await author(step);
      seen.push(JSON.stringify(result));
      await step.sleep("replay", "1 day");
      return result;
    });
    await run.harness.runUntilIdle();
    await sendAll(run, ...events);
    const output = await run.output();
    run.harness.restart();
    expect([...new Set(seen)]).toEqual([JSON.stringify(output)]);
    expect(seen.length).toBeGreaterThan(1);
    return output;
  }

  it("S6-014 two batches and a wait for one event share no event", async () => {
    const output = await playBeside(
      async (step) => {
        const [a, b, c] = await Promise.all([
          step.receive("a", { types: ["x", "y"], count: 2 }),
          step.receive("b", { types: ["y", "z"], count: 2, timeout: "1 hour" }),
          step.waitForEvent("c", { type: "y" }),
        ]);
        return [said(a), said(b), said([c])];
      },
      ["x 1", "y 2", "y 3", "z 4", "y 5"],
    );
    const taken = (output as string[][]).flat();
    expect(new Set(taken).size).toBe(taken.length);
    expect(output).toEqual([["x 1", "y 2"], ["y 3", "z 4"], ["y 5"]]);
  });

  it("S6-014 what came first ends its wait first", async () => {
    const output = await playBeside(
      async (step) => {
        const ended: string[] = [];
        const note = (name: string) => (): void => void ended.push(name);
        await Promise.all([
          step.receive("batch", { types: ["x", "y"], min: 2 }).then(note("batch")),
          step.waitForEvent("one", { type: "z" }).then(note("one")),
        ]);
        return ended;
      },
      ["x 1", "z 2", "y 3"],
    );
    expect(output).toEqual(["one", "batch"]);
  });

  it("S6-014 a batch that loses a race takes nothing", async () => {
    const run = await createRun(async (step) => {
      const { winner } = await step.race("first", {
        go: async (s) => s.waitForEvent("go", { type: "go" }),
        batch: async (s) => s.receive("in", { types: TYPES, min: 3, count: 3 }),
      });
      return [winner, said(await step.receive("rest", { types: TYPES }))];
    });
    await run.harness.runUntilIdle();
    await sendAll(run, "order 1", "cancel 2", "go now");
    expect(await run.output()).toEqual(["go", ["order 1", "cancel 2"]]);
    expect(await run.rows()).toContain("first/batch/in cancelled");
  });

  it("S6-014 a batch that was complete, and lost all the same, gives its events back", async () => {
    const run = await createRun(async (step) => {
      const { winner } = await step.race("first", {
        go: async (s) => s.waitForEvent("go", { type: "go" }),
        batch: async (s) => s.receive("in", { types: TYPES }),
      });
      return [winner, said(await step.receive("rest", { types: TYPES, timeout: "1 hour" }))];
    });
    // All events are there at the first look; the wait was called first.
    await sendAll(run, "order 1", "cancel 2", "go now");
    expect(await run.output()).toEqual(["go", ["order 1", "cancel 2"]]);
  });

  it("S6-014 an instance that is cancelled leaves its events untaken", async () => {
    const run = await createRun(async (step) => step.receive("in", { types: TYPES, min: 2 }));
    await run.harness.runUntilIdle();
    await sendAll(run, "order 1");
    await run.harness.runUntilIdle();
    const harness = run.harness as unknown as { engine: { control: (...a: string[]) => unknown } };
    await harness.engine.control("w", "x", "cancel");
    await run.harness.runThroughTime();
    expect(await run.status()).toMatchObject({ status: "terminated" });
    expect(await run.rows()).toEqual(["in errored"]);
  });
});

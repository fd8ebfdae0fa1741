/** The first calls in a process, whose code is not loaded yet: the order in which they are opened, and what a replay returns. */
import { describe, expect, it, vi } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness } from "../testing/harness.ts";

const program = async (step: WorkflowStep): Promise<unknown> => {
  const told: string[] = [];
  const note = (name: string) => () => void told.push(name);
  await Promise.all([
    step.do("plain", () => 1).then(note("plain")),
    step.waitForEvent("event", { type: "go" }).then(note("event")),
    step.do("undoable", { undo: () => {} }, () => 2).then(note("undoable")),
    step.sleepUntil("past", 0).then(note("past")),
    step.join("all", { a: (own) => own.do("a", () => 3) }).then(note("all")),
    step.sleep("", "1 second").catch(note("refused")),
    step.do("last", () => 4).then(note("last")),
  ]);
  return told;
};

/** What author code got, in order, and its steps. Called twice per process: the second time, all code is loaded. */
async function play(id: string): Promise<unknown> {
  const W = defineWorkflow({ name: "w" }, (_event, step) => program(step));
  const harness = createHarness({ workflows: { W } });
  const instance = await harness.workflows.W.create({ id });
  await instance.sendEvent({ type: "go" });
  await harness.runUntilIdle();
  const { steps } = await harness.history("w", id);
  const { status, output } = await instance.status();
  return { status, output, steps: steps.map(({ stepKey }) => stepKey).toSorted() };
}

describe("steps whose code is loaded with their first call", () => {
  it("are told in the same order whether or not it was there", async () => {
    // In a fresh module registry, in which none of it is loaded.
    vi.resetModules();
    const first = await play("x");
    expect(first).toMatchObject({ status: "complete" });
    expect(await play("y")).toEqual(first);
  });
});

/** Who wins, and the order of outcomes: the same on every replay as the first time. */
import { expect, it } from "vitest";
import { defineWorkflow, type WorkflowStep } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const after = (harness: Pick<Harness<never>, "clock">, ms: number): Promise<void> =>
  new Promise((resolve) => {
    void harness.clock.advance(ms).then(resolve);
  });

it("S5-002 a race of two bodies has one winner on every replay, also when the loser settles right behind it", async () => {
  const booked: string[] = [];
  const ask = (name: string, turns: number) => async (): Promise<string> => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((r) => setImmediate(r));
    return name;
  };
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const north = step.do("north", ask("north", 8));
    const south = step.do("south", ask("south", 1));
    const carrier = await Promise.race([north, south]);
    await step.do(`book ${carrier}`, () => void booked.push(`book ${carrier}`));
    await step.sleep("pickup", "1 day");
    await step.do(`pay ${carrier}`, () => void booked.push(`pay ${carrier}`));
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();
  expect(booked).toEqual(["book south", "pay south"]);
});

it("S5-002 an approval in the first hour stays the winner over a day's sleep that has ended since", async () => {
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const winner = await Promise.race([
      step
        .waitForEvent("approval", { type: "approved", timeout: "30 days" })
        .then(() => "approved"),
      step.sleep("patience", "1 day").then(() => "expired"),
    ]);
    await step.sleep("later", "3 days");
    return winner;
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await after(harness, 3_600_000);
  await harness.sendEvent("w", "x", { type: "approved" });
  await harness.runThroughTime();
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: "approved" });
});

it("S5-002 waits that came true while nobody ran settle in the order in which they came true", async () => {
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    const seen: string[] = [];
    await Promise.all([
      step.sleep("two hours", "2 hours").then(() => seen.push("two hours")),
      step.waitForEvent("word", { type: "word" }).then(() => seen.push("word")),
      step.sleep("one hour", "1 hour").then(() => seen.push("one hour")),
    ]);
    return seen;
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runUntilIdle();
  await after(harness, 90 * 60_000);
  await harness.sendEvent("w", "x", { type: "word" });
  await after(harness, 86_400_000);
  await harness.runUntilIdle();
  expect(await harness.status("w", "x")).toMatchObject({
    output: ["one hour", "word", "two hours"],
  });
});

it("S5-001 branches with any number of awaits between their steps see one order, and share their commits", async () => {
  const seen: string[][] = [];
  const branch = async (step: WorkflowStep, name: string, awaits: number): Promise<void> => {
    const log = seen.at(-1) ?? [];
    for (const part of ["a", "b"]) {
      await step.do(`${name} ${part}`, () => null);
      for (let count = 0; count < awaits; count += 1) await Promise.resolve();
      log.push(`${name} ${part}`);
    }
  };
  const w = defineWorkflow({ name: "w" }, async (_event, step) => {
    seen.push([]);
    await Promise.all([branch(step, "deep", 50), branch(step, "flat", 0)]);
    await step.sleep("nap", "1 hour");
  });
  const harness = createHarness({ workflows: { W: w } });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime();
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
});

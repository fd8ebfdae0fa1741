/** The cost of a loop that has run for long. */
import { expect, it } from "vitest";
import { defineWorkflow, Loop } from "../../index.ts";
import type { Store } from "../../ports/store.ts";
import { createFakeTime } from "../../testing/fake-time.ts";
import { createHarness } from "../../testing/harness.ts";
import { createMemoryStore } from "../../stores/memory/index.ts";

/** 100 000 of the row by `ESCAPEMENT_ITERATIONS=100000`, in a minute and a half. */
const ITERATIONS = Number(process.env["ESCAPEMENT_ITERATIONS"] ?? 2000);
/** A multiple of `commitEvery`: what is read goes up and down with the position. */
const WINDOW = 200;

interface Read {
  readonly rows: number;
  readonly bytes: number;
}

const average = (reads: readonly Read[], of: keyof Read): number =>
  reads.reduce((sum, read) => sum + read[of], 0) / reads.length;

it("S6-006 a claim reads as many rows and bytes in the last iterations as after the thousandth", async () => {
  const time = createFakeTime();
  const memory = createMemoryStore({ now: time.now });
  const reads: Read[] = [];
  const claim: Store["claim"] = async (request) => {
    const result = await memory.claim(request);
    for (const { settled, open } of result.runs)
      reads.push({
        rows: settled.length + open.length,
        bytes: JSON.stringify([settled, open]).length,
      });
    return result;
  };
  const W = defineWorkflow({ name: "w" }, (_event, step) =>
    step.loop("watch", {
      state: 0,
      keep: 10,
      run: async (own, count) => {
        await own.do("check", () => "x".repeat(100));
        await own.sleep("pause", "10 minutes");
        return count + 1 === ITERATIONS ? Loop.break(count + 1) : Loop.continue(count + 1);
      },
    }),
  );
  const store = { store: { ...memory, claim }, clock: time };
  const harness = createHarness({ workflows: { W }, store });
  await harness.workflows.W.create({ id: "x" });
  await harness.runThroughTime(ITERATIONS * 600_000 + 1000);
  expect(await harness.status("w", "x")).toMatchObject({ status: "complete", output: ITERATIONS });
  expect(reads.length).toBeGreaterThanOrEqual(ITERATIONS);
  const early = reads.slice(1000, 1000 + WINDOW);
  const late = reads.slice(-WINDOW - 20, -20);
  for (const of of ["rows", "bytes"] as const) {
    const ratio = average(late, of) / average(early, of);
    expect(ratio, of).toBeGreaterThan(0.9);
    expect(ratio, of).toBeLessThan(1.1);
  }
});

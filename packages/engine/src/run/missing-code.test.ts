/** Runs that fail when the code that begins them again, or undoes them, no longer exists, as after a deploy that removed it. */
import { expect, it, vi } from "vitest";
import { defineWorkflow, RollbackError } from "../index.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const MISSING = ["./retry-run.ts", "./rollback.ts"] as const;
for (const file of MISSING)
  vi.doMock(file, () => {
    throw new RangeError("no such file");
  });

const again = defineWorkflow(
  { name: "again", runRetries: { limit: 1, delay: 1000 } },
  async (_event, step) => {
    await step.do("work", () => null);
    throw new RangeError("always");
  },
);
const undone: string[] = [];
const undoes = defineWorkflow({ name: "undoes" }, async (_event, step) => {
  await step.do("charge", { undo: () => void undone.push("charge") }, () => 1);
  throw new RollbackError("off");
});

const left = (harness: Harness<{ again: typeof again; undoes: typeof undoes }>): unknown =>
  harness.log.filter(({ level, event }) => level === "error" && event === "run.not_closed").length;

it("such a run is left to a process that has it: it neither fails for good nor is anything lost", async () => {
  const harness = createHarness({ workflows: { again, undoes } });
  await harness.workflows.again.create({ id: "x" });
  await harness.workflows.undoes.create({ id: "x" });
  await harness.runUntilIdle();
  expect(await harness.status("again", "x")).toMatchObject({ status: "waiting", runNumber: 1 });
  expect(await harness.status("undoes", "x")).toMatchObject({ status: "waiting" });
  expect(left(harness)).toBe(2);
  await harness.clock.advance(60_000);
  await harness.runUntilIdle();
  expect(left(harness)).toBe(4);
  for (const file of MISSING) vi.doUnmock(file);
  await harness.clock.advance(60_000);
  await harness.runThroughTime(120_000);
  expect(await harness.status("again", "x")).toMatchObject({ status: "errored", runNumber: 2 });
  expect(await harness.status("undoes", "x")).toMatchObject({
    status: "errored",
    error: { code: "ROLLED_BACK" },
  });
  expect(undone).toEqual(["charge"]);
});

import { expect, test } from "vitest";
import { defineWorkflow, type WorkflowDefinition } from "../../authoring/define-workflow.ts";
import { createHarness } from "../harness.ts";
import { replayExport } from "./replay-export.ts";

const order = (lastName: string): WorkflowDefinition =>
  defineWorkflow({ name: "order" }, async (_event, step) => {
    await step.do("charge", () => "charged");
    await step.do(lastName, () => new Map([["a", 1n]]));
    await step.waitForEvent("go", { type: "go" });
  });

async function exportTwo(): Promise<string> {
  const { engine, runUntilIdle } = createHarness({ workflows: { ORDER: order("ship") } });
  let text = "";
  for (const id of ["a", "b"]) {
    await engine.createInstance("order", { id });
    await runUntilIdle();
    await engine.control("order", id, "pause");
    for await (const line of engine.export("order", id)) text += line;
  }
  return text;
}

test("S8-006 S8-013 histories of exports replay against new code, without a database and without a body", async () => {
  const chunks = [await exportTwo()];
  const same = await replayExport({ workflows: { ORDER: order("ship") }, chunks });
  expect(same).toMatchObject({ replayedCount: 2, divergedCount: 0, changedEndCount: 0 });
  const other = await replayExport({ workflows: { ORDER: order("send") }, chunks });
  expect(other).toMatchObject({ replayedCount: 2, divergedCount: 2 });
  expect(other.divergences).toContainEqual({
    workflowName: "order",
    instanceId: "b",
    runNumber: 1,
    kind: "notCalled",
    stepKey: "ship",
    message: 'history has step "ship", which the code does not call',
  });
});

test("S8-006 a file that was cut off is not replayed as if it were whole", async () => {
  const text = await exportTwo();
  const replaying = replayExport({
    workflows: { ORDER: order("ship") },
    chunks: [text.slice(0, -40)],
  });
  await expect(replaying).rejects.toMatchObject({ code: "IMPORT_INVALID" });
});

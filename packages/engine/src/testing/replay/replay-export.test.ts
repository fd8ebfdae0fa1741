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

/** A workflow that starts three instances of another one, and the instances that each ran for. */
function family() {
  const ran: string[] = [];
  const CHILD = defineWorkflow({ name: "child" }, async (event, step) => {
    ran.push(event.instanceId);
    await step.do("a", () => 1);
  });
  const PARENT = defineWorkflow({ name: "parent" }, async (event, step) => {
    ran.push(event.instanceId);
    for (const id of ["c1", "c2", "c3"]) await step.invoke(CHILD, { id });
  });
  return { ran, workflows: { CHILD, PARENT } };
}

test("S8-006 S8-013 the runs of a file are replayed while it is read, not when all of a family is held", async () => {
  const { ran, workflows } = family();
  const { engine, runUntilIdle } = createHarness({ workflows });
  await engine.createInstance("parent", { id: "p" });
  await runUntilIdle();
  const lines: string[] = [];
  for await (const line of engine.export("parent", "p")) lines.push(line);
  ran.length = 0;
  const ranBefore: number[] = [];
  const file = function* (): Generator<string> {
    for (const line of lines) {
      if (line.startsWith('{"kind":"instance"')) ranBefore.push(ran.length);
      yield line;
    }
  };
  const report = await replayExport({ workflows, chunks: file() });
  expect(report).toMatchObject({ replayedCount: 4, divergedCount: 0, changedEndCount: 0 });
  // Before the file was read to its end.
  expect(ranBefore).toHaveLength(4);
  expect(ranBefore.at(-1)).toBeGreaterThan(0);
  expect(ran).toHaveLength(4);
});

test("S8-006 a file of a workflow that the code has not is refused before anything runs", async () => {
  const replaying = replayExport({ workflows: family().workflows, chunks: [await exportTwo()] });
  await expect(replaying).rejects.toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
});

test("S8-006 a file that was cut off is not replayed as if it were whole", async () => {
  const text = await exportTwo();
  const replaying = replayExport({
    workflows: { ORDER: order("ship") },
    chunks: [text.slice(0, -40)],
  });
  await expect(replaying).rejects.toMatchObject({ code: "IMPORT_INVALID" });
});

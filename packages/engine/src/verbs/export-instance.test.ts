import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createHarness } from "../testing/harness.ts";

test("S8-006 a record that no import would read is refused by the export, not by the import when it is too late", async () => {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("large", () => "x".repeat(17_000_000));
  });
  const limits = { maxStepResultBytes: 20_000_000 };
  const { engine, runUntilIdle } = createHarness({ workflows: { W }, limits });
  await engine.createInstance("w", { id: "x" });
  await runUntilIdle();
  const exporting = (async () => {
    for await (const line of engine.export("w", "x")) expect(line).not.toBe("");
  })();
  await expect(exporting).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("S8-006 an instance that slept until a day before 1970 is read again by an import", async () => {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.sleepUntil("until", new Date("0001-01-01"));
    await step.waitForEvent("go", { type: "go" });
  });
  const { engine, runUntilIdle } = createHarness({ workflows: { W } });
  await engine.createInstance("w", { id: "x" });
  await runUntilIdle();
  await engine.control("w", "x", "pause");
  const lines: string[] = [];
  for await (const line of engine.export("w", "x")) lines.push(line);
  const other = createHarness({ workflows: { W } });
  await expect(other.engine.import(lines)).resolves.toMatchObject([{ id: "x" }]);
});

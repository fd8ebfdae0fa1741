import { createSqliteDatabase } from "@escapement/db/sqlite";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { defineWorkflow } from "../authoring/define-workflow.ts";
import { createSqlStore, migrate } from "../stores/sql/index.ts";
import { createHarness } from "../testing/harness.ts";
import { createEngine } from "./engine.ts";

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

test("S8-006 a record that is damaged where it is stored is refused by the export, with its line", async () => {
  const W = defineWorkflow({ name: "w" }, async (_event, step) => {
    await step.do("a", () => 1);
  });
  const database = createSqliteDatabase(new Libsql(":memory:"));
  await migrate(database);
  const store = createSqlStore({ database });
  const engine = createEngine({ workflows: { W }, store });
  await engine.createInstance("w", { id: "x" });
  await engine.tick();
  const text = `update "workflow_step_workflows" set "result" = '{'`;
  await database.batch([{ text, values: [] }]);
  const lines: string[] = [];
  const exporting = (async () => {
    for await (const line of engine.export("w", "x")) lines.push(line);
  })();
  await expect(exporting).rejects.toMatchObject({ code: "IMPORT_INVALID", details: { line: 3 } });
  // A header and an instance, and no end.
  expect(lines).toHaveLength(2);
  await engine.close();
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

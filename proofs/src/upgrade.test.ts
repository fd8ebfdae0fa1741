/** A later version brings the tables up while processes of this one run: columns are added, and nothing else changes. */
import type { Database } from "@escapement/db";
import { createEngine, defineWorkflow } from "@escapement/engine";
import { migrate } from "@escapement/engine/store/sql";
import { describe, expect, it } from "vitest";
import { overSql } from "./rows/real-stores.ts";
import { EMBEDDED, POSTGRES } from "./subjects/test-database.ts";

const TABLES = ["instance", "step", "event", "task", "topic", "message", "topic_wait", "progress"];

const WORK = defineWorkflow({ name: "work" }, async (_event, step) => {
  await step.do("first", () => 1);
  const { payload } = await step.waitForEvent("go", { type: "go" });
  return step.do("second", () => payload);
});

/** What a migration of a later version does that may not stop runners. */
async function addColumns(database: Database): Promise<void> {
  const statements = [
    ...TABLES.map((table) => `alter table "workflow_${table}_workflows" add column "later" text`),
    `update fragno_db_settings set value = '1000' where key = 'workflows.schema_version'`,
  ];
  const result = await database.batch(statements.map((text) => ({ text, values: [] })));
  expect(result.kind).toBe("committed");
}

describe.each([overSql(POSTGRES), overSql(EMBEDDED)])("over $name", ({ open }) => {
  it("S8-018 runs go on in a process that has begun, and a process that starts then is refused", async () => {
    const { store, database, close } = await open();
    if (database === null) throw new Error("it has a database");
    const engine = createEngine({ workflows: { WORK }, store });
    const begun = await engine.workflows.WORK.create({ id: "begun" });
    // Once more, so that its statements are prepared.
    await engine.workflows.WORK.create({ id: "asleep" });
    await engine.tick();
    await addColumns(database);

    await begun.sendEvent({ type: "go", payload: "went" });
    const created = await engine.workflows.WORK.create({ id: "created-after-it" });
    await created.sendEvent({ type: "go", payload: "too" });
    await engine.tick();
    expect(await begun.status()).toMatchObject({ status: "complete", output: "went" });
    expect(await created.status()).toMatchObject({ status: "complete", output: "too" });
    expect((await engine.listHistory("work", "begun", {})).steps).toHaveLength(3);
    expect((await engine.findInstances({ status: ["waiting"] })).instances).toHaveLength(1);

    await expect(migrate(database)).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
    await close();
  });
});

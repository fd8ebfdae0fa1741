/** The rows that the tables accept, and those that they refuse. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INSTANCE_STATUSES } from "@escapement/engine/internal";
import { migrate } from "@escapement/engine/store/sql";
import { DATABASES, type TestDatabase } from "./testing-data-model.ts";

describe.each(DATABASES)("rows of %s", (_name, open) => {
  let ours: TestDatabase;

  beforeAll(async () => {
    ours = await open();
    await migrate(ours.database);
  });
  afterAll(() => ours.drop());

  const now = (): string => ours.database.dialect.fromMs(ours.database.dialect.nowMs);
  const insertInstance = (id: string, instanceId: string, status: string): Promise<unknown> =>
    ours.query(
      `insert into "workflow_instance_workflows" ("id", "instanceId", "workflowName", "status", "createdAt", ` +
        `"updatedAt", "pauseRequested", "runNumber") values ('${id}', '${instanceId}', 'order', '${status}', ` +
        `${now()}, ${now()}, false, 1)`,
    );
  const insertTask = (id: string, kind: string, runNumber: number): Promise<unknown> =>
    ours.query(
      `insert into "workflow_task_workflows" ("id", "workflowName", "instanceId", "runNumber", "kind", ` +
        `"priority", "runAt", "status", "attempts", "maxAttempts", "createdAt", "updatedAt") values ` +
        `('${id}', 'order', 'one', ${runNumber}, '${kind}', 0, ${now()}, 'pending', 0, 1, ${now()}, ${now()})`,
    );
  const insertStep = (
    id: string,
    runNumber: number,
    type: string,
    status: string,
  ): Promise<unknown> =>
    ours.query(
      `insert into "workflow_step_workflows" ("id", "workflowName", "instanceId", "runNumber", "stepKey", ` +
        `"name", "type", "status", "attempts", "lostAttempts", "maxAttempts", "createdAt", "updatedAt") values ` +
        `('${id}', 'order', 'one', ${runNumber}, '${type}-${status}', '${"n".repeat(256)}', '${type}', ` +
        `'${status}', 0, 0, 1, ${now()}, ${now()})`,
    );

  test("S0-070 an instance is kept for ever unless somebody says otherwise", async () => {
    await insertInstance("i-retention", "retention", "complete");
    const rows = await ours.query(
      `select "retentionUntil" from "workflow_instance_workflows" where "id" = 'i-retention'`,
    );
    expect(rows).toEqual([{ retentionUntil: null }]);
  });

  test("S0-069 every status can be stored, and an instance id is taken once per workflow", async () => {
    for (const status of INSTANCE_STATUSES) await insertInstance(`i-${status}`, status, status);
    await expect(insertInstance("i-second", "queued", "queued")).rejects.toThrow(/unique/iu);
  });

  test("S0-076 a restarted instance's steps stand beside those of the run before", async () => {
    await insertStep("s-1", 1, "do", "completed");
    await insertStep("s-2", 2, "do", "completed");
    await expect(insertStep("s-3", 2, "do", "completed")).rejects.toThrow(/unique/iu);
  });

  test("S0-074 do, sleep and waitForEvent share one table and every status", async () => {
    for (const type of ["do", "sleep", "waitForEvent"]) {
      for (const status of ["pending", "running", "waiting", "completed", "errored"]) {
        await insertStep(`${type}-${status}`, 7, type, status);
      }
    }
    const rows = await ours.query(
      `select "id" from "workflow_step_workflows" where "runNumber" = 7`,
    );
    expect(rows).toHaveLength(15);
  });

  test("S0-081 S0-083 S0-084 a run has one task of any kind, gc included, and a second is refused", async () => {
    for (const [index, kind] of ["run", "resume", "retry", "wake", "gc"].entries()) {
      await insertTask(`t-${kind}`, kind, index);
    }
    await expect(insertTask("t-second", "wake", 0)).rejects.toThrow(/unique/iu);
  });

  test("deleting a finished task leaves its instance and steps", async () => {
    await insertInstance("i-one", "one", "complete");
    await insertTask("t-done", "run", 90);
    await insertStep("s-done", 90, "do", "completed");
    await ours.query(`delete from "workflow_task_workflows" where "id" = 't-done'`);
    expect(
      await ours.query(`select 1 from "workflow_step_workflows" where "id" = 's-done'`),
    ).toHaveLength(1);
    expect(
      await ours.query(`select 1 from "workflow_instance_workflows" where "id" = 'i-one'`),
    ).toHaveLength(1);
  });
});

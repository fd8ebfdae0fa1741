/** Fragno's migration of the fragment and the engine's own give the same database, in either order. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@escapement/db";
import { migrate as migrateFragment } from "@fragno-dev/db";
import { migrate } from "@escapement/engine/store/sql";
import { createFragnoAdapter } from "../adapter/adapter.ts";
import { defineWorkflow } from "./authoring.ts";
import { createWorkflowsFragment, type WorkflowsFragment } from "./create-fragment.ts";
import { defaultFragnoRuntime } from "./runtime.ts";
import { createShop } from "./testing-scene.ts";
import { SERVERS } from "./testing-step-tx.ts";

const workflows = { HELLO: defineWorkflow({ name: "hello" }, () => "hello") } as const;

function open(database: Database): WorkflowsFragment<typeof workflows> {
  const databaseAdapter = createFragnoAdapter({ database });
  return createWorkflowsFragment({ workflows, runtime: defaultFragnoRuntime }, { databaseAdapter });
}

async function describeSchema(database: Database): Promise<unknown> {
  const columns =
    database.dialect.name === "postgres"
      ? `select table_name as "table", column_name as "column", data_type as "type", is_nullable as "null"
         from information_schema.columns where table_schema = current_schema() order by 1, ordinal_position`
      : `select m.name as "table", c.name as "column", c.type as "type", c."notnull" as "null", instr(m.sql, 'autoincrement') as "numbers"
         from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name like '%workflow%' order by 1, c.cid`;
  const indexes =
    database.dialect.name === "postgres"
      ? `select indexname as "name", indexdef as "text" from pg_indexes where schemaname = current_schema() order by 1`
      : `select name, sql as "text" from sqlite_master where type = 'index' and tbl_name like '%workflow%' order by 1`;
  const result = await database.batch([
    { text: columns, values: [] },
    { text: indexes, values: [] },
    { text: `select "key", "value" from "fragno_db_settings" order by 1`, values: [] },
  ]);
  return result.kind === "committed" ? result.rows : result;
}

for (const server of SERVERS) {
  describe(`migrations on ${server.name}`, () => {
    type Started = Awaited<ReturnType<typeof server.start>>;
    let servers: readonly Started[];
    let databases: readonly Database[];
    beforeAll(async () => {
      servers = [await server.start(), await server.start()];
      databases = servers.map((started) => started.open());
    });
    afterAll(async () => {
      await Promise.all(databases.map((database) => database.close()));
      for (const started of servers) await started.remove();
    });

    test("S0-061 S0-065 S0-068 migrate(fragment) and migrate(database) give the same tables, under the namespace", async () => {
      const [byFragno, byEngine] = databases as readonly [Database, Database];
      await migrateFragment(open(byFragno));
      await migrate(byEngine);
      const shape = await describeSchema(byFragno);
      expect(shape).toEqual(await describeSchema(byEngine));
      expect(JSON.stringify(shape)).toContain("workflow_instance_workflows");
      expect(JSON.stringify(shape)).toContain("idx_lockOwner_workflow_task_workflows");
    });

    test("each finds the other's work done, and workflows run on both", async () => {
      const [byFragno, byEngine] = databases as readonly [Database, Database];
      const before = await describeSchema(byFragno);
      await migrate(byFragno);
      await migrateFragment(open(byEngine));
      expect(await describeSchema(byFragno)).toEqual(before);
      for (const database of databases) {
        const { workflows: bindings, engine } = open(database);
        const instance = await bindings.HELLO.create();
        await engine.tick();
        expect(await instance.status()).toMatchObject({ status: "complete", output: "hello" });
      }
    });

    test.skipIf(server.name.startsWith("Postgres"))(
      "a fragment's migration keeps the indexes that the database remembers, and begins with those of its client",
      async () => {
        const servers = [await server.start(), await server.start(), await server.start()] as const;
        const [lean, full, plain] = [servers[0].open(), servers[1].open(), servers[2].open()];
        const billed: Database = {
          dialect: plain.dialect,
          billsRows: true,
          batch: (statements) => plain.batch(statements),
          close: () => plain.close(),
        };
        await migrate(lean, { indexes: "lean" });
        await migrate(full, { indexes: "full" });
        for (const database of [lean, full, billed]) await migrateFragment(open(database));
        const sets = [lean, full, billed].map(async (database) => {
          const shape = JSON.stringify(await describeSchema(database));
          return [shape.includes("idx_status_createdAt"), (await migrate(database)).indexes];
        });
        expect(await Promise.all(sets)).toEqual([
          [false, "lean"],
          [true, "full"],
          [false, "lean"],
        ]);
        await Promise.all([lean, full, plain].map((database) => database.close()));
        for (const started of servers) await started.remove();
      },
    );

    test("S1-023 the fragments migrate independently, in any order, at once", async () => {
      const [database] = databases as readonly [Database, Database];
      const databaseAdapter = createFragnoAdapter({ database });
      await Promise.all([
        migrateFragment(createShop({ databaseAdapter }, {})),
        migrateFragment(open(database)),
      ]);
      expect(JSON.stringify(await describeSchema(database))).toContain("shop.schema_version");
    });
  });
}

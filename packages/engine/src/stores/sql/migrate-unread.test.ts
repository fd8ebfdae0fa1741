/** Keys and indexes that the schema creates on Postgres and no statement reads. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database, Row } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import { migrate } from "./migrate.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations/generated.ts";

let database: Database;
let drop: () => Promise<void>;
beforeEach(async () => {
  const created = await createPostgresDatabase();
  ({ drop } = created);
  database = createPgDatabase({ connectionString: created.url, max: 1 });
});
afterEach(async () => {
  await database.close();
  await drop();
});

const TABLES = ["instance", "step", "task"].map((name) => `workflow_${name}_workflows`);

const UNREAD = [
  "idx_lease_workflow_task_workflows",
  "idx_queue_workflow_task_workflows",
  ...TABLES.map((table) => `${table}_pkey`),
];

async function run(texts: readonly string[]): Promise<readonly Row[]> {
  const result = await database.batch(texts.map((text) => ({ text, values: [] })));
  if (result.kind !== "committed") throw new TypeError(result.kind);
  return result.rows.at(-1) ?? [];
}

async function loadUnread(): Promise<readonly unknown[]> {
  const names = UNREAD.map((name) => `'${name}'`).join(", ");
  const rows = await run([
    `select indexname as "name" from pg_indexes where indexname in (${names}) order by indexname collate "C"`,
  ]);
  return rows.map(({ name }) => name);
}

test("they go from a database that has them, and tables that are published still take updates and deletes", async () => {
  const { settings, steps, versionRow } = MIGRATIONS.postgres;
  await run([
    ...settings,
    ...steps.flat(),
    `insert into "fragno_db_settings" ("id", "key", "value") values ('${versionRow.id}', '${versionRow.key}', '${SCHEMA_VERSION}')`,
    ...TABLES.map((table) => `create publication "of_${table}" for table "${table}"`),
  ]);
  expect(await loadUnread()).toEqual(UNREAD);
  await migrate(database);
  expect(await loadUnread()).toEqual([]);
  for (const table of TABLES)
    await run([
      `update "${table}" set "_version" = "_version" + 1`,
      `delete from "${table}" where "_version" > 1`,
    ]);
});

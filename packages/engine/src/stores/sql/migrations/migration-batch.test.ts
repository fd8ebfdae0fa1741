import { postgresDialect, sqliteDialect } from "@escapement/db/client";
import { expect, test } from "vitest";
import { MIGRATIONS, SCHEMA_VERSION } from "./generated.ts";
import { toMigrationBatch } from "./migration-batch.ts";
import { type IndexSet, toIndexSet } from "./index-set.ts";
import { EMPTY_STATE, type SchemaState } from "./schema-state.ts";

const textsFor = (
  dialect: typeof postgresDialect,
  state: SchemaState,
  indexSet: IndexSet = "full",
): readonly string[] =>
  toMigrationBatch(dialect, MIGRATIONS[dialect.name], { state, indexSet }).map(
    (statement) => statement.text,
  );

test("Postgres waits for its turn before it looks at anything, and then for as long as an index takes", () => {
  const [limits, lock] = textsFor(postgresDialect, EMPTY_STATE);
  expect(limits).toMatch(/'statement_timeout', '0', true.*'transaction_timeout', '0', true/u);
  expect(lock).toMatch(/^select pg_advisory_xact_lock\(\d+\)$/u);
});

test("SQLite takes no lock of its own", () => {
  expect(textsFor(sqliteDialect, EMPTY_STATE).join()).not.toContain("advisory");
});

test.each([postgresDialect, sqliteDialect])(
  "an empty $name database gets Fragno's tables, ours, then the version",
  (dialect) => {
    const texts = textsFor(dialect, EMPTY_STATE);
    const guardAt = texts.findIndex((text) => text.includes("case when coalesce"));
    expect(texts.slice(0, guardAt).join()).toContain(`"fragno_hooks"`);
    expect(texts.slice(0, guardAt).join()).not.toContain("workflow_task");
    expect(texts.slice(guardAt + 1)).toEqual([
      ...MIGRATIONS[dialect.name].steps.flat(),
      ...toIndexSet(dialect, MIGRATIONS[dialect.name], "full"),
      `insert into "fragno_db_settings" ("id", "key", "value") values ('mwAMQdhMeRoUfE3dt5uN0g', 'workflows.schema_version', '${SCHEMA_VERSION}') on conflict do nothing`,
      `update "fragno_db_settings" set "value" = '${SCHEMA_VERSION}' where "key" = 'workflows.schema_version'`,
    ]);
  },
);

test("an older database gets only the steps that it lacks, guarded by its version", () => {
  const texts = textsFor(sqliteDialect, { ...EMPTY_STATE, hasSettings: true, version: 3 });
  expect(texts[0]).toContain(`'0') = '3' and`);
  expect(texts.join()).not.toContain('create table if not exists "workflow_event_workflows"');
  expect(texts[1]).toMatch(/^create table if not exists "workflow_task_workflows"/u);
});

test("a database that Fragno migrated gets the partial indexes and keeps its version", () => {
  const state = { ...EMPTY_STATE, hasSettings: true, version: SCHEMA_VERSION };
  const expected = toIndexSet(sqliteDialect, MIGRATIONS.sqlite, "full");
  expect(textsFor(sqliteDialect, state).slice(1)).toEqual(expected);
});

test("the lean set drops what the full one makes, and each says which it is", () => {
  const state = { ...EMPTY_STATE, hasSettings: true, version: SCHEMA_VERSION, indexSet: "full" };
  const [guard, ...lean] = textsFor(sqliteDialect, state, "lean");
  expect(guard).toContain(`'workflows.indexes'), '') = 'full'`);
  expect(lean).toContain(`drop index if exists "idx_history_workflow_step_workflows"`);
  expect(lean.at(-1)).toContain(`'workflows.indexes', 'lean') on conflict`);
  expect(textsFor(sqliteDialect, state, "full").at(-1)).toContain(`'full') on conflict`);
});

/** Our migration, Fragno's and the committed dump, in any order, give the same database. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineFragment, instantiate } from "@fragno-dev/core";
import { migrate as migrateWithFragno, withDatabase } from "@fragno-dev/db";
import { GenericSQLAdapter, type GenericSQLOptions } from "@fragno-dev/db/adapters/generic-sql";
import { SCHEMA_VERSION } from "@escapement/engine/internal";
import { migrate } from "@escapement/engine/store/sql";
import { SUPPLEMENTS } from "./supplements.ts";
import { NAMESPACE, workflowsSchema } from "./workflows-schema.ts";
import { DATABASES, loadShape, type Shape, type TestDatabase } from "./testing-data-model.ts";

async function migrateByFragno(options: GenericSQLOptions): Promise<void> {
  const definition = defineFragment("workflows").extend(withDatabase(workflowsSchema, NAMESPACE));
  const fragment = instantiate(definition.build())
    .withConfig({})
    .withRoutes([])
    .withOptions({ databaseAdapter: new GenericSQLAdapter(options) })
    .build();
  await migrateWithFragno(fragment);
}

// Only we record which set of indexes a database has.
const SETTINGS = `select "id", "key", "value" from "fragno_db_settings" where "key" like '%version' order by "key"`;

const supplementNames = new Set(
  Object.values(SUPPLEMENTS).flatMap(({ indexes, lists, retired, knownById }) =>
    indexes
      .concat(lists)
      .map(({ name }) => name)
      .concat(retired)
      .concat(knownById.map((table) => `${table}_pkey`)),
  ),
);
const withoutSupplements = (shape: Shape): Shape => ({
  columns: Object.fromEntries(
    Object.entries(shape.columns).map(([table, columns]) => [
      table,
      columns.map((column) => column.replace(/^timeoutMs bigint/u, "timeoutMs integer")),
    ]),
  ),
  indexes: Object.fromEntries(
    Object.entries(shape.indexes).filter(([name]) => !supplementNames.has(name)),
  ),
});

describe.each(DATABASES)("the migrations of %s", (_name, open) => {
  let ours: TestDatabase;
  let theirs: TestDatabase;
  let shape: Shape;

  beforeAll(async () => {
    [ours, theirs] = [await open(), await open()];
    await migrate(ours.database);
    await migrateByFragno(theirs.fragno);
    shape = await loadShape(ours);
  });
  afterAll(async () => {
    await ours.drop();
    await theirs.drop();
  });

  test("our migration and Fragno's give the same tables, columns, indexes and versions", async () => {
    expect(withoutSupplements(shape)).toEqual(withoutSupplements(await loadShape(theirs)));
    expect(await ours.query(SETTINGS)).toEqual(await theirs.query(SETTINGS));
  });

  test("our migration after Fragno's adds the supplements and nothing else", async () => {
    const fresh = await open();
    await migrateByFragno(fresh.fragno);
    const result = await migrate(fresh.database);
    const unchanged = { fromVersion: SCHEMA_VERSION, toVersion: SCHEMA_VERSION };
    expect(result).toEqual({ ...unchanged, indexes: "full" });
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    await fresh.drop();
  });

  test("Fragno's migration after ours changes nothing", async () => {
    const fresh = await open();
    await migrate(fresh.database);
    await migrateByFragno(fresh.fragno);
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    await fresh.drop();
  });

  test("the committed dump run by hand gives the same database", async () => {
    const fresh = await open();
    const file = new URL(
      `../../../engine/src/stores/sql/migrations/schema.${fresh.database.dialect.name}.sql`,
      import.meta.url,
    );
    const dump = readFileSync(file, "utf8");
    await fresh.execute(dump);
    expect(await loadShape(fresh)).toEqual(shape);
    expect(await fresh.query(SETTINGS)).toEqual(await ours.query(SETTINGS));
    expect(await migrate(fresh.database)).toMatchObject({ fromVersion: SCHEMA_VERSION });
    await fresh.drop();
  });
});

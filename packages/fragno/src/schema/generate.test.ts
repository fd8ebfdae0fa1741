import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MIGRATIONS, SCHEMA_VERSION } from "@escapement/engine/internal";
import { createMigrationSet, findRewrittenSteps, toModule, toSchemaDump } from "./generate.ts";
import { SUPPLEMENTS } from "./supplements.ts";
import { workflowsSchema } from "./workflows-schema.ts";

const sets = { postgres: createMigrationSet("postgres"), sqlite: createMigrationSet("sqlite") };
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const declaration = ["base-tables", "later-columns", "stream-tables"]
  .map((name) => read(`./${name}.ts`))
  .join("");

const tables = Object.values(workflowsSchema.tables).map((table) => ({
  name: table.ormName,
  columns: Object.values(table.columns),
  ownColumns: Object.keys(table.columns).filter((name) => !name.startsWith("_")),
}));

test("the committed statements are those of the declaration", () => {
  expect(MIGRATIONS).toEqual(sets);
  expect(SCHEMA_VERSION).toBe(workflowsSchema.version);
});

test.each(["postgres", "sqlite"] as const)("the committed dump for %s is fresh", (name) => {
  const dump = read(`../../../engine/src/stores/sql/migrations/schema.${name}.sql`);
  expect(`${toSchemaDump(name, sets[name])}\n`).toBe(dump);
});

test("generating twice gives the same text", () => {
  expect(toModule({ ...sets, sqlite: createMigrationSet("sqlite") })).toBe(toModule(sets));
});

test.each(["postgres", "sqlite"] as const)(
  "every statement for %s can be repeated, or only adds a nullable column",
  (name) => {
    const set = sets[name];
    const [first, ...later] = [set.steps.slice(0, 4).flat(), ...set.steps.slice(4)];
    const { settings, supplements, listIndexes } = set;
    for (const sql of [...settings, ...(first ?? []), ...supplements, ...listIndexes]) {
      expect(sql).toMatch(
        /^(create (table|index|unique index) if not exists|alter table "\w+" (alter column|replica identity using index|drop constraint if exists)|drop index if exists) "/u,
      );
    }
    // On SQLite, new columns have no `if not exists`; the guard on the version prevents adding them twice.
    for (const sql of later.flat())
      expect(sql).toMatch(
        /^(alter table "\w+" add column "\w+" \w+$|create (table|index|unique index) if not exists ")/u,
      );
  },
);

test("a released step that changed is found, an appended one is allowed", () => {
  const [first = [], ...rest] = sets.sqlite.steps;
  const changed = { ...sets.sqlite, steps: [[...first, "select 1"], ...rest] };
  const appended = { ...sets.sqlite, steps: [...sets.sqlite.steps, ["select 1"]] };
  const shortened = { ...sets.sqlite, steps: rest };
  expect(findRewrittenSteps(sets, { ...sets, sqlite: changed })).toEqual(["sqlite"]);
  expect(findRewrittenSteps(sets, { ...sets, sqlite: shortened })).toEqual(["sqlite"]);
  expect(findRewrittenSteps(sets, { ...sets, sqlite: appended })).toEqual([]);
});

test("every column is declared right below a comment of its own", () => {
  const lines = declaration.split("\n").map((line) => line.trim());
  const declared = lines.flatMap((line, index) => (line.startsWith(".addColumn(") ? [index] : []));
  expect(declared).toHaveLength(tables.flatMap((table) => table.ownColumns).length);
  for (const index of declared) expect(lines[index - 1]).toMatch(/^\/\/ .{10,}\.$/u);
});

test("the model's page has one line a column, table by table, in the order of the database", () => {
  const page = read("../../../engine/src/core/model/README.md");
  for (const table of tables) {
    const section = page.split(`### \`${table.name}\``)[1]?.split("\n### ")[0] ?? "";
    const listed = [...section.matchAll(/^- `(?<name>\w+)` /gmu)].map(
      (hit) => hit.groups?.["name"],
    );
    expect([table.name, ...listed]).toEqual([table.name, ...table.ownColumns]);
  }
});

test("no column has a type or a default that databases disagree about", () => {
  const regular = tables
    .flatMap((table) => table.columns)
    .filter((column) => column.role === "regular");
  expect(regular.length).toBeGreaterThan(50);
  for (const column of regular) {
    expect(column.type).toMatch(/^(string|integer|decimal|timestamp|bool)$/u);
    expect(column.default).toBeUndefined();
  }
});

test("no index name is longer than Postgres keeps", () => {
  const names = [...sets.postgres.steps.flat(), ...sets.postgres.supplements].flatMap((sql) => {
    const name = /index if not exists "([^"]+)"/u.exec(sql)?.[1];
    return name === undefined ? [] : [name];
  });
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
});

test("indexes beyond the schema name only columns that are declared", () => {
  const extra = Object.values(SUPPLEMENTS).flatMap(({ indexes, lists }) => indexes.concat(lists));
  for (const index of extra) {
    const table = tables.find((one) => `${one.name}_workflows` === index.table);
    expect(["_internalId", ...(table?.ownColumns ?? [])]).toEqual(
      expect.arrayContaining([...index.columns]),
    );
    expect(index.name.endsWith(index.table)).toBe(true);
  }
});

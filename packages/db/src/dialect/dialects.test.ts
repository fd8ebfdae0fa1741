import { expect, test } from "vitest";
import type { Dialect } from "./dialect.ts";
import { parseGuardName } from "./guard.ts";
import { postgresDialect } from "./postgres.ts";
import { sqliteDialect } from "./sqlite.ts";

const both = (render: (dialect: Dialect) => string): readonly string[] => [
  render(postgresDialect),
  render(sqliteDialect),
];

test("the two dialects, side by side", () => {
  expect(both(({ param }) => param(3))).toEqual(["$3", "?3"]);
  expect(both(({ quote }) => quote('a"b'))).toEqual(['"a""b"', '"a""b"']);
  expect(both(({ toMs }) => toMs("x"))).toEqual(["(date_part('epoch', x) * 1000)::bigint", "x"]);
  expect(both(({ fromMs }) => fromMs("x"))).toEqual([
    "(timestamp '1970-01-01' + (x) * interval '1 millisecond')",
    "(x)",
  ]);
  expect(both(({ plusMs }) => plusMs("x", "5"))).toEqual([
    "(x + (5) * interval '1 millisecond')",
    "(x + 5)",
  ]);
  expect(both(({ forUpdate }) => forUpdate("t"))).toEqual(["for update of t", ""]);
  expect(both(({ forUpdate }) => forUpdate("t", { skipLocked: true }))).toEqual([
    "for update of t skip locked",
    "",
  ]);
  expect(both(({ joinEach }) => joinEach("step", "s", "s.x = t.x"))).toEqual([
    "cross join lateral (select * from step as s where s.x = t.x offset 0) as s",
    "cross join step as s on s.x = t.x",
  ]);
  expect(both(({ leftJoinEach }) => leftJoinEach("step", "s", "s.x = t.x"))).toEqual([
    "left join lateral (select * from step as s where s.x = t.x offset 0) as s on true",
    "left join step as s on s.x = t.x",
  ]);
  expect(both(({ byIndex }) => byIndex("k"))).toEqual(["", ` indexed by "k"`]);
  expect(both(({ joinEach }) => joinEach("step", "s", "s.x = t.x", "k"))).toEqual([
    "cross join lateral (select * from step as s where s.x = t.x offset 0) as s",
    `cross join step as s indexed by "k" on s.x = t.x`,
  ]);
  expect(both(({ isKey }) => isKey("t.id", "c.id"))).toEqual([
    "t.id = any (array[c.id])",
    "t.id = c.id",
  ]);
  expect(both(({ isKeyAmong }) => isKeyAmong("id", "select x"))).toEqual([
    "id = any (array(select x))",
    "id in (select x)",
  ]);
  expect(both(({ guard }) => guard("held", "a = b"))).toEqual([
    "select cast(case when a = b then '1' else 'escapement-guard:held' end as int)",
    "select case when a = b then 1 else json_extract('{}', 'escapement-guard:held') end",
  ]);
  expect(both(({ least }) => least("a", "b"))).toEqual([
    "least(a, b)",
    "coalesce(min(a, b), a, b)",
  ]);
  expect(both(({ greatest }) => greatest("a", "b"))).toEqual([
    "greatest(a, b)",
    "coalesce(max(a, b), a, b)",
  ]);
});

test("a guard's name is read from the messages of every driver", () => {
  expect(parseGuardName('invalid input syntax for type integer: "escapement-guard:lease-1"')).toBe(
    "lease-1",
  );
  expect(
    parseGuardName("SQLITE_UNKNOWN: SQLite error: bad JSON path: 'escapement-guard:a_b'"),
  ).toBe("a_b");
  expect(parseGuardName('invalid input syntax for type integer: "7x"')).toBeNull();
});

import type { Dialect } from "./dialect.ts";
import { toArguments } from "./json-arguments.ts";
import { GUARD_MARKER } from "./guard.ts";

// `subsec` needs SQLite 3.42 (2023-05-16); libsql 0.5 embeds 3.45. Half a millisecond is added because the product is a float just
// below or above the whole number, and the cast truncates.
const NOW_MS = "cast(unixepoch('subsec') * 1000 + 0.5 as integer)";

const pick = (function_: "min" | "max", a: string, b: string): string =>
  `coalesce(${function_}(${a}, ${b}), ${a}, ${b})`;

// Without the limit, the subquery is merged into the query around it, and each column copies the row's text again: twice the time for 50
// steps (SQLite 3.45, 2026-11; https://www.sqlite.org/optoverview.html#flattening).
const elementsOf = (array: string): string => `(select value from json_each(${array}) limit -1)`;

// With statistics from when a table had a row or two, SQLite would read the whole table instead, even after it has grown.
const byIndex = (index: string): string => ` indexed by "${index}"`;

/** SQLite 3.42 and newer, libSQL. Instants are integer milliseconds; there is one writer, so rows need no locks. */
export const sqliteDialect: Dialect = {
  name: "sqlite",
  param: (position) => `?${position}`,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  now: NOW_MS,
  nowMs: NOW_MS,
  clock: NOW_MS,
  clockMs: NOW_MS,
  plusMs: (instant, ms) => `(${instant} + ${ms})`,
  toMs: (expression) => expression,
  fromMs: (expression) => `(${expression})`,
  jsonRows: (parameter, alias, columns) =>
    `(select ${columns.map((column) => `value->>'${column.name}' as "${column.name}"`).join(", ")} ` +
    `from ${elementsOf(parameter)}) as ${alias}`,
  valueRow: (position, alias, columns) =>
    `(select ${columns.map(({ name }, index) => `?${position + index} as "${name}"`).join(", ")}) as ${alias}`,
  // A cross join is never reordered (https://www.sqlite.org/optoverview.html, read 2026-11), nor is a left join.
  joinEach: (table, alias, condition, index) =>
    `cross join ${table} as ${alias}${index === undefined ? "" : byIndex(index)} on ${condition}`,
  leftJoinEach: (table, alias, condition) => `left join ${table} as ${alias} on ${condition}`,
  byIndex,
  isKey: (column, value) => `${column} = ${value}`,
  isKeyAmong: (column, select) => `${column} in (${select})`,
  forUpdate: () => "",
  // SQLite has no raise() outside triggers. A bad JSON path fails, and its message carries the guard's name: on embedded files,
  // over HTTP and over WebSockets alike.
  guard: (name, condition) =>
    `select case when ${condition} then 1 else json_extract('{}', '${GUARD_MARKER}${name}') end`,
  notify: null,
  jsonObject: (members) => `json_object(${toArguments(members)})`,
  byteLength: (text) => `length(cast(${text} as blob))`,
  least: (a, b) => pick("min", a, b),
  greatest: (a, b) => pick("max", a, b),
};

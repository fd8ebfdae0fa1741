import type { Dialect } from "./dialect.ts";

// `subsec` needs SQLite 3.42 (2023-05-16); libsql 0.5 embeds 3.45.
const NOW_MS = "cast(unixepoch('subsec') * 1000 as integer)";

const pick = (function_: "min" | "max", a: string, b: string): string =>
  `coalesce(${function_}(${a}, ${b}), ${a}, ${b})`;

/** SQLite 3.42 and newer, libSQL. Instants are integer milliseconds; there is one writer, so rows need no locks. */
export const sqliteDialect: Dialect = {
  name: "sqlite",
  param: (position) => `?${position}`,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  nowMs: NOW_MS,
  clockMs: NOW_MS,
  toMs: (expression) => expression,
  fromMs: (expression) => `(${expression})`,
  jsonRows: (parameter, alias, columns) =>
    `(select ${columns.map((column) => `value->>'${column.name}' as "${column.name}"`).join(", ")} ` +
    `from json_each(${parameter})) as ${alias}`,
  forUpdate: () => "",
  // SQLite has no raise() outside triggers: json() of a telling text fails; its message does not carry the text,
  // so the client asks which guard it was by position.
  guard: (_name, condition) => `select case when ${condition} then 1 else abs(-9223372036854775808) end`,
  least: (a, b) => pick("min", a, b),
  greatest: (a, b) => pick("max", a, b),
};

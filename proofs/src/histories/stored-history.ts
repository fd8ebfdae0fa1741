/** A database as an earlier version left it, as text. */
import { readFileSync } from "node:fs";

export interface StoredHistory {
  /** `<instance> <step key>` of each body that ran. */
  readonly bodies: readonly string[];
  /** Epoch milliseconds of the last write. */
  readonly writtenAt: number;
  /** What makes the tables and their rows again, in order. */
  readonly statements: readonly string[];
}

export const readHistory = (name: string): StoredHistory =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")) as StoredHistory;

type Value = string | number | null;

interface SqliteConnection {
  prepare(text: string): { all(): unknown[] };
}

/** The statements that make a SQLite database again. */
export function dumpSqlite(connection: SqliteConnection): readonly string[] {
  const objects = connection
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\' order by rowid`,
    )
    .all() as { type: string; name: string; sql: string }[];
  const rows = objects
    .filter(({ type }) => type === "table")
    .flatMap(({ name }) =>
      connection
        .prepare(`select * from "${name}"`)
        .all()
        .map((row) => toInsert(name, row as Readonly<Record<string, Value>>)),
    );
  return [...objects.map(({ sql }) => sql), ...rows];
}

function toInsert(table: string, row: Readonly<Record<string, Value>>): string {
  const columns = Object.keys(row).map((column) => `"${column}"`);
  return `insert into "${table}" (${columns.join(", ")}) values (${Object.values(row).map(toSql).join(", ")})`;
}

function toSql(value: Value): string {
  if (value === null) return "null";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

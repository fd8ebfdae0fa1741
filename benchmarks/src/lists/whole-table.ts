/** What a database's plan of a statement says. */
import type { Database, Row } from "@escapement/db";
import type { Statement } from "@escapement/db/client";

const OURS = /workflow_(?:instance|task|step)_workflows/;
const NAMED = /"workflow_\w+" as (\w+)/g;

/** Whether a statement is answered by reading a whole table of ours, or a whole index. */
export async function readsWholeTable(database: Database, statement: Statement): Promise<boolean> {
  const lines = await explain(database, statement);
  if (database.dialect.name === "postgres")
    return lines.some((line) => /Seq Scan/.test(line) && OURS.test(line));
  // SQLite tells aliases, which selects in the place of tables have too.
  const tables = new Set([...statement.text.matchAll(NAMED)].map(([, alias = ""]) => alias));
  return lines.some((line) => {
    const [, alias = "", using] = /^SCAN (\w+)( USING .*)?/.exec(line) ?? [];
    return using !== undefined || (tables.has(alias) && !statement.text.includes(`) as ${alias}`));
  });
}

async function explain(
  database: Database,
  { text, values }: Statement,
): Promise<readonly string[]> {
  const isPostgres = database.dialect.name === "postgres";
  const how = isPostgres ? "explain" : "explain query plan";
  const result = await database.batch([{ text: `${how} ${text}`, values }], { byKeys: true });
  if (result.kind !== "committed") throw new Error("no plan");
  const [rows = []] = result.rows;
  return rows.map((row: Row) => String(isPostgres ? Object.values(row)[0] : row["detail"]));
}

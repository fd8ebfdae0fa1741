/** Makes a database as an earlier version left it, some time ago. */
import type { Database, Row } from "@escapement/db";
import { postgresDialect } from "@escapement/db/client";
import type { StoredHistory } from "./stored-history.ts";

const TABLES = ["instance", "step", "event", "task"].map((name) => `workflow_${name}_workflows`);

/** @param passedMs what has passed since its last write */
export async function loadHistory(
  database: Database,
  { statements, writtenAt }: StoredHistory,
  passedMs: number,
): Promise<void> {
  for (const text of statements) await run(database, text);
  await letPass(database, passedMs - (Date.now() - writtenAt));
}

/** All that is written there is older by so much, and what is to come is nearer. */
export async function letPass(database: Database, passedMs: number): Promise<void> {
  const isPostgres = database.dialect === postgresDialect;
  const earlier = (column: string): string =>
    isPostgres
      ? `"${column}" = "${column}" - interval '${passedMs} milliseconds'`
      : `"${column}" = "${column}" - ${passedMs}`;
  for (const table of TABLES) {
    const [row = {}] = await run(database, `select * from ${table} limit 1`);
    const instants = Object.keys(row).filter((column) => /(At|Until)$/u.test(column));
    if (instants.length > 0)
      await run(database, `update ${table} set ${instants.map(earlier).join(", ")}`);
  }
}

async function run(database: Database, text: string): Promise<readonly Row[]> {
  const result = await database.batch([{ text, values: [] }]);
  if (result.kind !== "committed") throw new Error(`the batch is ${result.kind}`);
  return result.rows[0] ?? [];
}

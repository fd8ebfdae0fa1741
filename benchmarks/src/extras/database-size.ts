/** Bytes that our tables and their indexes take. */
import type { Database } from "@escapement/db";

const TEXTS = {
  postgres:
    "select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class " +
    "where relkind = 'r' and relname like 'workflow\\_%'",
  sqlite: "select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()",
};

export async function measureDatabaseBytes(database: Database): Promise<number> {
  const result = await database.batch([{ text: TEXTS[database.dialect.name], values: [] }]);
  return result.kind === "committed" ? Number(result.rows[0]?.[0]?.["bytes"]) : Number.NaN;
}

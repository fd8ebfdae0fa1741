/** @module The Batch port over PGlite, Postgres inside the process. One engine: batches run one after another. */
import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { Database, Row, Statement } from "../batch.ts";
import { classifyPostgresError } from "../dialect/postgres-errors.ts";
import { postgresDialect } from "../dialect/postgres.ts";
import { createDatabase } from "./create-database.ts";

/** Creates a client over a PGlite instance; `close` closes the instance. */
export function createPgliteDatabase(pglite: PGlite): Database {
  return createDatabase({
    dialect: postgresDialect,
    isSerial: false,
    apply: (statements) => pglite.transaction((within) => runAll(within, statements)),
    classify: (error) =>
      classifyPostgresError(error, pglite.closed ? "DATABASE_UNAVAILABLE" : "DATABASE_REJECTED"),
    async close() {
      if (!pglite.closed) await pglite.close();
    },
  });
}

const asText = (value: string): string => value;

// By type oid: numbers become numbers (int8, numeric), and types that PGlite would parse (json, jsonb, dates) stay text.
const PARSERS = {
  20: Number,
  1700: Number,
  114: asText,
  3802: asText,
  1082: asText,
  1114: asText,
  1184: asText,
};

async function runAll(
  within: Transaction,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> {
  const rows: (readonly Row[])[] = [];
  for (const { text, values } of statements) {
    rows.push((await within.query<Row>(text, [...values], { parsers: PARSERS })).rows);
  }
  return rows;
}

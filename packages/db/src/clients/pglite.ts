/** @module The Batch port over PGlite, Postgres inside the process. One engine: batches run one after another. */
import type { PGlite, Transaction } from "@electric-sql/pglite";
import type { BatchResult, Database, Row, Statement } from "../batch.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { classifyPostgresError } from "../dialect/postgres-errors.ts";
import { postgresDialect } from "../dialect/postgres.ts";
import { DatabaseError } from "../errors.ts";

/** Creates a client over a PGlite instance; `close` closes the instance. */
export function createPgliteDatabase(pglite: PGlite): Database {
  return new PgliteDatabase(pglite);
}

const EMPTY: BatchResult = { kind: "committed", rows: [] };
const asText = (value: string): string => value;

// By type oid: numbers as numbers (int8, numeric), and what PGlite would parse (json, jsonb, dates) as its text.
const PARSERS = {
  20: Number,
  1700: Number,
  114: asText,
  3802: asText,
  1082: asText,
  1114: asText,
  1184: asText,
};

class PgliteDatabase implements Database {
  readonly dialect: Dialect = postgresDialect;
  readonly #pglite: PGlite;

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async batch(statements: readonly Statement[]): Promise<BatchResult> {
    if (this.#pglite.closed) {
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed");
    }
    if (statements.length === 0) return EMPTY;
    try {
      return {
        kind: "committed",
        rows: await this.#pglite.transaction((within) => runAll(within, statements)),
      };
    } catch (error) {
      const code = this.#pglite.closed ? "DATABASE_UNAVAILABLE" : "DATABASE_REJECTED";
      const outcome = classifyPostgresError(error, code);
      if (outcome instanceof DatabaseError) throw outcome;
      return outcome;
    }
  }

  async close(): Promise<void> {
    if (!this.#pglite.closed) await this.#pglite.close();
  }
}

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

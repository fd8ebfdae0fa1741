/**
 * @module The Batch port over `@neondatabase/serverless`, HTTP: one request, which Neon's proxy runs as one transaction.
 *
 * An answer has at most 10 MB (https://neon.com/docs/changelog/2023-08-16, read 2026-11).
 */
import type { NeonQueryFunction } from "@neondatabase/serverless";
import type { Database, Row } from "../batch.ts";
import { classifyPostgresError } from "../dialect/postgres-errors.ts";
import { postgresDialect } from "../dialect/postgres.ts";
import { assertClientOptions } from "../client-options.ts";
import { createDatabase } from "./create-database.ts";
import { type FieldDescription, RowDecoder } from "./row-decoder.ts";

/** Time limits of the client. */
interface NeonDatabaseOptions {
  /** How long a batch may take, in milliseconds; then it throws `DATABASE_UNAVAILABLE`. null: no limit. @default 30000 */
  readonly batchTimeoutMs?: number | null;
}

/**
 * Creates a client over `neon(connectionString)`. Options of `neon` apply, such as `isolationLevel`, except those for the form of
 * results; `close` has nothing to release.
 */
export function createNeonDatabase<ArrayMode extends boolean, FullResults extends boolean>(
  sql: NeonQueryFunction<ArrayMode, FullResults>,
  options: NeonDatabaseOptions = {},
): Database {
  assertClientOptions(options);
  const batchTimeoutMs = options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs;
  return createDatabase({
    dialect: postgresDialect,
    isSerial: false,
    async apply(statements) {
      const queries = statements.map(({ text, values }) => sql.query(text, [...values], AS_SENT));
      const results: unknown = await sql.transaction(queries, {
        ...AS_ARRAYS,
        ...(batchTimeoutMs === null
          ? {}
          : { fetchOptions: { signal: AbortSignal.timeout(batchTimeoutMs) } }),
      } as object);
      return (results as readonly NeonResult[]).map(decodeRows);
    },
    classify: classifyPostgresError,
    close: () => Promise.resolve(),
  });
}

interface NeonResult {
  readonly fields: readonly FieldDescription[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const AS_ARRAYS = { arrayMode: true, fullResults: true };
/** The proxy sends text, which we convert to values. */
const AS_SENT = { types: { getTypeParser: () => (text: string) => text } };

function decodeRows({ fields, rows }: NeonResult): readonly Row[] {
  const decoder = new RowDecoder(fields);
  return rows.map((row) => decoder.decode(row));
}

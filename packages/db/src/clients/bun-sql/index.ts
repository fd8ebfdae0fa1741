/** @module The Batch port over Bun's own Postgres client (`Bun.SQL`): one message, one round trip. */
import type { Database, Row } from "../../batch.ts";
import { classifyPostgresError } from "../../dialect/postgres-errors.ts";
import { postgresDialect } from "../../dialect/postgres.ts";
import { DatabaseError } from "../../errors.ts";
import { assertClientOptions } from "../../client-options.ts";
import { createDatabase } from "../create-database.ts";
import { RowDecoder } from "../row-decoder.ts";
import { withTimeout } from "../with-timeout.ts";
import { inlineParameters } from "../inline-parameters.ts";

/**
 * The part of `Bun.SQL` that we use.
 *
 * @source https://bun.com/docs/runtime/sql (read 2026-11, of Bun 1.4.5)
 */
interface BunSql {
  reserve(options?: { signal?: AbortSignal }): Promise<BunSqlConnection>;
  close(): Promise<void>;
}

/** A connection from the pool. */
interface BunSqlConnection {
  unsafe(text: string): BunSqlQuery;
  release(): Promise<void>;
  /** Closes it instead of returning it to the pool. */
  close(): Promise<void>;
}

/** A query that has not started; it starts when it is awaited. */
interface BunSqlQuery extends PromiseLike<unknown> {
  /** The simple protocol: several statements are one implicit transaction, and all values are text. */
  simple(): BunSqlQuery;
  /** Rows as arrays of the server's bytes. */
  raw(): BunSqlQuery;
}

/** Time limits of the client. */
interface BunSqlDatabaseOptions {
  /**
   * How long a batch may wait for a connection, and how long for its answer, in milliseconds; then it throws
   * `DATABASE_UNAVAILABLE` and its connection is closed. null: no limit. @default 30000
   */
  readonly batchTimeoutMs?: number | null;
}

/**
 * Creates a Postgres client over `new Bun.SQL(url)`, with any options; `close` closes it.
 *
 * A batch is one Query message of the simple protocol, which Postgres runs as one transaction. Bun's `begin` would take at least three
 * trips, and more for each text that is new to the connection (12 for five; measured with Bun 1.4.5). The simple protocol has no
 * parameters, so the values are written into the text as quoted literals.
 */
export function createBunSqlDatabase(sql: BunSql, options: BunSqlDatabaseOptions = {}): Database {
  assertClientOptions(options);
  const batchTimeoutMs = options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs;
  return createDatabase({
    dialect: postgresDialect,
    isSerial: false,
    async apply(statements) {
      const text = statements.map(inlineParameters).join("\n;\n");
      const connection = await reserve(sql, batchTimeoutMs);
      const answer = await run(connection, text, batchTimeoutMs);
      // The answer to a single statement is not in a list.
      const results = statements.length === 1 ? [answer] : answer;
      return (results as readonly RawResult[]).map(decodeRows);
    },
    classify: (error) => classifyPostgresError(withSqlState(error)),
    close: () => sql.close(),
  });
}

/** Rows, and the server's description of their columns. `type` is an oid. */
type RawResult = readonly (readonly (Uint8Array | null)[])[] & {
  readonly columns: readonly { readonly name: string; readonly type: number }[];
};

function reserve(sql: BunSql, timeoutMs: number | null): Promise<BunSqlConnection> {
  return sql.reserve(timeoutMs === null ? {} : { signal: AbortSignal.timeout(timeoutMs) });
}

async function run(
  connection: BunSqlConnection,
  text: string,
  timeoutMs: number | null,
): Promise<unknown> {
  try {
    const query = connection.unsafe(text).simple().raw();
    const answer = await withTimeout(Promise.resolve(query), timeoutMs);
    await connection.release();
    return answer;
  } catch (error) {
    await (DatabaseError.is(error) ? connection.close() : connection.release());
    throw error;
  }
}

// Bun puts SQLSTATE in `errno`, and one fixed word for every server error in `code`. Code that reads errors expects SQLSTATE in `code`.
function withSqlState(error: unknown): unknown {
  if (error instanceof Error && "errno" in error && "severity" in error) {
    Object.assign(error, { code: error.errno });
  }
  return error;
}

const UTF8 = new TextDecoder();

function decodeRows(result: RawResult): readonly Row[] {
  const decoder = new RowDecoder(
    result.columns.map(({ name, type }) => ({ name, dataTypeID: type })),
  );
  return result.map((values) =>
    decoder.decode(values.map((value) => (value === null ? null : UTF8.decode(value)))),
  );
}

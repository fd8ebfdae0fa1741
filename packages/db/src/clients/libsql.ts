/** @module The Batch port over `@libsql/client`: embedded files, HTTP and WebSockets. */
import type { Client } from "@libsql/client";
import type { BatchResult, Database, Row, Statement } from "../batch.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { classifySqliteError } from "../dialect/sqlite-errors.ts";
import { sqliteDialect } from "../dialect/sqlite.ts";
import { DatabaseError } from "../errors.ts";
import { assertClientOptions } from "../client-options.ts";
import { assertOneStatement } from "./one-statement.ts";
import { isReadOnly, toSqliteParameter } from "./sqlite-values.ts";
import { Semaphore } from "./semaphore.ts";
import { withTimeout } from "./with-timeout.ts";

/** Time limits of the client. */
interface LibsqlDatabaseOptions {
  /**
   * How long a batch may take once it is its turn, in milliseconds; then it throws `DATABASE_UNAVAILABLE`. null: no limit. @default 30000
   */
  readonly batchTimeoutMs?: number | null;
}

/**
 * Creates a client over one of `@libsql/client` with its default `intMode`. A batch is one HTTP request; `close` closes the given client.
 * A server counts as one that bills rows, because Turso does; a file does not.
 */
export function createLibsqlDatabase(
  client: Client,
  options: LibsqlDatabaseOptions = {},
): Database {
  assertClientOptions(options);
  return new LibsqlDatabase(
    client,
    options.batchTimeoutMs === undefined ? 30_000 : options.batchTimeoutMs,
  );
}

// sqld admits one writer at a time, so more writers than are needed to hide the network's delay only wait there. A checkpoint that begins
// while writers wait can block its queue for good: no client can write any more (sqld 0.24.32, 2026-11: 2 of 4 runs with 8 writers and
// a checkpoint every ten commits; none of 16 with 2 writers, none of 20 with checkpoints by interval, which docs/databases.md asks
// for). Fewer writers make it rarer.
const WRITES_AT_ONCE = 4;

const EMPTY: BatchResult = { kind: "committed", rows: [] };

class LibsqlDatabase implements Database {
  readonly dialect: Dialect = sqliteDialect;
  readonly billsRows: boolean;
  readonly #client: Client;
  readonly #batchTimeoutMs: number | null;
  readonly #turns: Semaphore;

  constructor(client: Client, batchTimeoutMs: number | null) {
    this.#client = client;
    this.billsRows = client.protocol !== "file";
    this.#batchTimeoutMs = batchTimeoutMs;
    this.#turns = new Semaphore(client.protocol === "file" ? 1 : WRITES_AT_ONCE);
  }

  batch(statements: readonly Statement[]): Promise<BatchResult> {
    if (!this.#takesTurns(statements)) return this.#apply(statements);
    return this.#turns.run(() => this.#apply(statements));
  }

  // For files, the driver's access is synchronous, so taking turns costs nothing, and `#forgetConnections` disturbs no other batch.
  #takesTurns(statements: readonly Statement[]): boolean {
    return this.#client.protocol === "file" || !areReadOnly(statements);
  }

  async #apply(statements: readonly Statement[]): Promise<BatchResult> {
    if (this.#client.closed) {
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed");
    }
    if (statements.length === 0) return EMPTY;
    try {
      const rows = await withTimeout(this.#send(statements), this.#batchTimeoutMs);
      return { kind: "committed", rows };
    } catch (error) {
      const outcome = classifySqliteError(error);
      if (outcome instanceof DatabaseError) throw outcome;
      if (outcome.kind === "conflict" && outcome.reason === "busy") this.#forgetConnections();
      return outcome;
    }
  }

  async #send(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    for (const { text } of statements) assertOneStatement(text);
    const results = await this.#client.batch(
      statements.map(({ text, values }) => ({ sql: text, args: values.map(toSqliteParameter) })),
      areReadOnly(statements) ? "deferred" : "write",
    );
    // The driver's rows are objects by column name, which can also be indexed by number.
    return results.map((result) => result.rows);
  }

  // In @libsql/client 0.18, a BEGIN that finds a file busy stays in progress on its pooled connection, and every later COMMIT there
  // fails with "SQL statements in progress". Closing the connections ends that.
  #forgetConnections(): void {
    if (this.#client.protocol === "file") this.#client.reconnect();
  }

  async close(): Promise<void> {
    if (!this.#client.closed) this.#client.close();
  }
}

function areReadOnly(statements: readonly Statement[]): boolean {
  return statements.every(({ text }) => isReadOnly(text));
}

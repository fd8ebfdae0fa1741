/** @module The Batch port over synchronous SQLite drivers with better-sqlite3's API: `libsql`, and clients built on this one. */
import type { BatchResult, Database, Listening, Row, Statement } from "../batch.ts";
import { classifySqliteError } from "../dialect/sqlite-errors.ts";
import { sqliteDialect } from "../dialect/sqlite.ts";
import { DatabaseError } from "../errors.ts";
import { assertClientOptions } from "../client-options.ts";
import { watchDataVersion } from "./data-version.ts";
import { assertOneStatement } from "./one-statement.ts";
import { nameByNumber, readsAllColumns, toRows } from "./sqlite-rows.ts";
import { isReadOnly, toSqliteParameter } from "./sqlite-values.ts";

/** A prepared statement of the driver; parameters are one array. */
interface SqliteStatement {
  /** Whether it returns rows; `run` is for statements that do not. Absent: `all` runs both kinds. */
  readonly reader?: boolean;
  all(parameters: unknown): unknown[];
  run?(parameters: unknown): unknown;
  /** From now on, rows are arrays. */
  raw?(): unknown;
  columns?(): readonly { readonly name: string }[];
}

/** A connection that pragmas can be set on: any of the SQLite drivers here. */
interface PragmaConnection {
  prepare(text: string): { all(parameters: never): unknown };
}

/** The part of the driver's connection that we use. */
interface SqliteConnection extends PragmaConnection {
  readonly inTransaction: boolean;
  prepare(text: string): SqliteStatement;
  exec(text: string): unknown;
  close(): unknown;
}

/** Memory for prepared statements. */
interface SqliteDatabaseOptions {
  /** How many prepared statements to keep; the oldest is dropped first. @default 500 @minimum 1 */
  readonly maxPrepared?: number;
}

/**
 * Creates a client over one open connection. Batches run synchronously, each in BEGIN IMMEDIATE … COMMIT; a batch that only selects
 * takes no write lock. The settings of the connection are yours: see `applyRecommendedPragmas`.
 */
export function createSqliteDatabase(
  connection: SqliteConnection,
  options: SqliteDatabaseOptions = {},
): Database {
  assertClientOptions(options);
  return new SqliteDatabase(connection, options.maxPrepared ?? 500);
}

/** Settings for `applyRecommendedPragmas`. */
interface RecommendedPragmas {
  /** How long to wait for another process's write, in milliseconds; the thread is blocked meanwhile. @default 2000 */
  readonly busyTimeoutMs?: number;
  /** FULL: a commit survives power loss. NORMAL: it may not, but the file stays consistent. @default "FULL" */
  readonly synchronous?: "FULL" | "NORMAL";
}

/** Sets write-ahead logging, durability and the wait for other writers on a connection to a file. */
export function applyRecommendedPragmas(
  connection: PragmaConnection,
  options: RecommendedPragmas = {},
): void {
  assertClientOptions(options);
  const { busyTimeoutMs = 2000, synchronous = "FULL" } = options;
  // The wait comes first, because switching the journal needs a lock that another process may hold.
  for (const pragma of [
    `busy_timeout = ${Math.trunc(busyTimeoutMs)}`,
    "journal_mode = WAL",
    `synchronous = ${synchronous}`,
  ]) {
    // Some of these return a row, which `exec` of some drivers refuses.
    connection.prepare(`pragma ${pragma}`).all([] as never);
  }
}

interface Prepared {
  readonly statement: SqliteStatement;
  readonly reader: boolean;
  readonly readOnly: boolean;
  /** The names of the columns if rows are arrays; null: rows are objects. */
  readonly names: readonly string[] | null;
}

const EMPTY: BatchResult = { kind: "committed", rows: [] };
const NO_ROWS: readonly Row[] = [];

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly isSerial = true;
  readonly #connection: SqliteConnection;
  readonly #maxPrepared: number;
  readonly #prepared = new Map<string, Prepared>();
  readonly #listeners = new Set<() => void>();
  #closed = false;

  constructor(connection: SqliteConnection, maxPrepared: number) {
    this.#connection = connection;
    this.#maxPrepared = maxPrepared;
  }

  // Async, so that errors of the driver become rejections.
  async batch(statements: readonly Statement[]): Promise<BatchResult> {
    if (this.#closed)
      throw new DatabaseError("DATABASE_UNAVAILABLE", "the database client is closed");
    if (statements.length === 0) return EMPTY;
    let began = false;
    try {
      const readOnly = statements.every(({ text }) => this.#isReadOnly(text));
      // Not prepared: a prepared BEGIN that found the database busy would stay in progress, and no COMMIT would succeed.
      this.#connection.exec(readOnly ? "begin" : "begin immediate");
      began = true;
      const rows = statements.map((statement) => this.#execute(statement));
      this.#connection.exec("commit");
      return { kind: "committed", rows };
    } catch (error) {
      if (began) this.#rollBack();
      const outcome = classifySqliteError(error);
      if (outcome instanceof DatabaseError) throw outcome;
      return outcome;
    }
  }

  listen(listening: Listening): () => void {
    const [main] = this.#connection.prepare("pragma database_list").all([]);
    // Nothing else can write to a database in memory.
    if ((main as { readonly file?: string | null } | undefined)?.file === "")
      return () => undefined;
    const pragma = this.#connection.prepare("pragma data_version");
    const stop = watchDataVersion(() => pragma.all([]), listening);
    this.#listeners.add(stop);
    return () => {
      this.#listeners.delete(stop);
      stop();
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const stop of this.#listeners) stop();
    this.#prepared.clear();
    this.#connection.close();
  }

  #execute({ text, values }: Statement): readonly Row[] {
    const { statement, reader, names } = this.#prepare(text);
    const parameters = values.map(toSqliteParameter);
    if (reader) return toRows(statement.all(parameters), names);
    statement.run?.(parameters);
    return NO_ROWS;
  }

  // An unknown text may be invalid, or need a table that an earlier statement creates, so it is prepared when it is its turn.
  #isReadOnly(text: string): boolean {
    return this.#prepared.get(text)?.readOnly ?? isReadOnly(text);
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    assertOneStatement(text);
    const statement = this.#connection.prepare(text);
    const reader = statement.reader ?? true;
    const names = reader && !readsAllColumns(text) ? nameByNumber(statement) : null;
    const prepared = { statement, reader, readOnly: isReadOnly(text), names };
    if (this.#prepared.size >= this.#maxPrepared) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    this.#prepared.set(text, prepared);
    return prepared;
  }

  #rollBack(): void {
    // After some errors (a full disk), SQLite has already rolled back; a second ROLLBACK would be an error.
    if (this.#connection.inTransaction) this.#connection.exec("rollback");
  }
}

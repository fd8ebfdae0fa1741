/**
 * The Batch port over one of Fragno's own adapters: one interactive transaction per batch, so a trip per statement. Statements that
 * are queued in its units of work are sent in the same way.
 */
import type { GenericSQLAdapter } from "@fragno-dev/db/adapters/generic-sql";
import type { Database, Row } from "@escapement/db";
import {
  type Dialect,
  postgresDialect,
  sqliteDialect,
  type BatchResult,
  DatabaseError,
  type SqlValue,
  type Statement,
} from "@escapement/db/client";
import { classifyPostgresError, classifySqliteError } from "@escapement/db/internal";
import { VERSION_GUARD } from "./compile-write.ts";
import { INTERNAL_ID } from "./internals.ts";
import { FragnoVersionError } from "./library-version.ts";
import { SqlExpression } from "./sql-expression.ts";

/** The part of Fragno's SQL adapters that is needed. */
export type StockAdapter = Pick<GenericSQLAdapter, "driver" | "driverConfig">;

/**
 * A database on the connection of `GenericSQLAdapter`, `KyselyAdapter` or `DrizzleAdapter`, on Postgres or SQLite.
 *
 * It does not fix what `createFragnoAdapter` fixes: use it only if an adapter cannot be changed.
 *
 * @returns null if the adapter is of another kind, or on MySQL
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED — the adapter is from another version of Fragno
 */
export function createStockDatabase(adapter: object): Database | null {
  if (!isStockAdapter(adapter)) return null;
  if ("namingStrategy" in adapter) throw new FragnoVersionError("its adapters name tables anew");
  const dialect = DIALECTS[adapter.driverConfig.databaseType];
  if (dialect === undefined) return null;
  const database = new StockDatabase(adapter, dialect);
  sendQueued(adapter, database);
  return database;
}

/** As a parameter, it marks a statement that stands for others. */
class QueuedStatements {
  readonly statements: readonly Statement[];

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
  }
}

/** A value for a text column of a created row: the adapter sends the statements instead of the row. */
export const standFor = (statements: readonly Statement[]): SqlExpression =>
  new SqlExpression(["", ""], [new QueuedStatements(statements) as never]);

type Transaction = Parameters<Parameters<StockAdapter["driver"]["transaction"]>[0]>[0];

const adaptersThatSend = new WeakSet<object>();

/** Makes the adapter's units of work send the statements that a row stands for. */
function sendQueued({ driver }: StockAdapter, database: StockDatabase): void {
  if (adaptersThatSend.has(driver)) return;
  adaptersThatSend.add(driver);
  const begin = driver.transaction.bind(driver);
  driver.transaction = (work) =>
    begin((transaction) => {
      const send = transaction.executeQuery.bind(transaction);
      transaction.executeQuery = async (query) => {
        const queued = query.parameters.find((value) => value instanceof QueuedStatements);
        if (queued === undefined) return send(query);
        await database.sendQueued(send, queued.statements);
        return { rows: [{ [INTERNAL_ID]: 0 }] };
      };
      return work(transaction);
    });
}

// Drivers return int8 as text and float8 as a number; milliseconds and sequences fit a float exactly.
const asFloat = (expression: string): string => `(${expression})::float8`;

const DIALECTS: Readonly<Record<string, Dialect>> = {
  sqlite: sqliteDialect,
  postgresql: {
    ...postgresDialect,
    nowMs: asFloat(postgresDialect.nowMs),
    clockMs: asFloat(postgresDialect.clockMs),
    toMs: (expression) => asFloat(postgresDialect.toMs(expression)),
  },
};

function isStockAdapter(adapter: object): adapter is StockAdapter {
  if (!("driver" in adapter && "driverConfig" in adapter)) return false;
  const { driver, driverConfig } = adapter;
  return (
    typeof driver === "object" &&
    driver !== null &&
    "transaction" in driver &&
    typeof driverConfig === "object" &&
    driverConfig !== null &&
    "databaseType" in driverConfig
  );
}

class StockDatabase implements Database {
  readonly dialect: Dialect;
  readonly isSerial = true;
  readonly #adapter: StockAdapter;

  constructor(adapter: StockAdapter, dialect: Dialect) {
    this.#adapter = adapter;
    this.dialect = dialect;
  }

  async batch(statements: readonly Statement[]): Promise<BatchResult> {
    if (statements.length === 0) return { kind: "committed", rows: [] };
    try {
      const rows = await this.#adapter.driver.transaction((transaction) =>
        this.#send(transaction.executeQuery.bind(transaction), statements),
      );
      return { kind: "committed", rows };
    } catch (error) {
      const outcome = this.#classify(error);
      if (outcome instanceof DatabaseError) throw outcome;
      return outcome;
    }
  }

  /**
   * @throws {DatabaseError} TRANSACTION_CONFLICT — a guard failed; because of its message, the library treats it as a row with
   * another version
   */
  async sendQueued(
    send: Transaction["executeQuery"],
    statements: readonly Statement[],
  ): Promise<void> {
    try {
      await this.#send(send, statements);
    } catch (error) {
      const outcome = this.#classify(error);
      const isMoved = "guard" in outcome && outcome.guard === VERSION_GUARD;
      throw isMoved ? new DatabaseError("TRANSACTION_CONFLICT", "Version conflict", error) : error;
    }
  }

  async #send(
    send: Transaction["executeQuery"],
    statements: readonly Statement[],
  ): Promise<readonly (readonly Row[])[]> {
    const answers: (readonly Row[])[] = [];
    for (const { text, values } of statements) {
      const query = { sql: text, parameters: values.map((value) => this.#encode(value)) };
      answers.push((await send(query)).rows.map(decode));
    }
    return answers;
  }

  /** The connection belongs to the adapter. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #encode(value: SqlValue): SqlValue {
    return this.dialect.name === "sqlite" && typeof value === "boolean" ? Number(value) : value;
  }

  #classify(error: unknown): ReturnType<typeof classifyPostgresError> {
    return this.dialect.name === "sqlite"
      ? classifySqliteError(error)
      : classifyPostgresError(error);
  }
}

function decode(row: Row): Row {
  return INTERNAL_ID in row ? { ...row, [INTERNAL_ID]: Number(row[INTERNAL_ID]) } : row;
}

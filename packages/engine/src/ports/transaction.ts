/** Transactions that a caller has begun on the database of the engine's store. Only shapes: no client is loaded for them. */

/** A client of `pg` (not a pool) after BEGIN, or one with the same `query`. */
export interface PgTransaction {
  query(text: string, values: never[]): PromiseLike<{ readonly rows: unknown[] }>;
}

/** The `tx` of Drizzle's `db.transaction`, on Postgres or SQLite. */
export interface DrizzleTransaction {
  select(): unknown;
  $with(name: string): unknown;
  rollback(): never;
}

/** The `trx` of Kysely's `db.transaction().execute` or `startTransaction()`. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  executeQuery(query: never): PromiseLike<{ readonly rows: unknown[] }>;
  withoutPlugins(): unknown;
}

/** The `tx` of Prisma's `prisma.$transaction`, on Postgres or SQLite. */
export interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: never[]): PromiseLike<unknown>;
  $executeRawUnsafe(text: string, ...values: never[]): PromiseLike<number>;
}

/** A connection of `better-sqlite3`, `libsql` or `node:sqlite` after BEGIN. */
export type SqliteTransaction = (
  | { readonly inTransaction: boolean }
  | { readonly isTransaction: boolean }
) & {
  prepare(text: string): { all(...values: never[]): unknown[]; run(...values: never[]): unknown };
  exec(text: string): unknown;
};

/** A transaction that `engine.with` takes. */
export type CallersTransaction =
  | PgTransaction
  | DrizzleTransaction
  | KyselyTransaction
  | PrismaTransaction
  | SqliteTransaction;

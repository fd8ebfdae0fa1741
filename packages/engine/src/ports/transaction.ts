/** Transactions that a caller has begun on the database of the engine's store. Only shapes: no client is loaded for them. */

/** A client of `pg` on which BEGIN was sent, not a pool; or one that answers `query` alike. */
export interface PgTransaction {
  query(text: string, values: never[]): PromiseLike<{ readonly rows: unknown[] }>;
}

/** The `tx` of Drizzle's `db.transaction`, on Postgres or on SQLite. */
export interface DrizzleTransaction {
  select(): unknown;
  $with(name: string): unknown;
  rollback(): never;
}

/** The `trx` of Kysely's `db.transaction().execute`, or of its `startTransaction()`. */
export interface KyselyTransaction {
  readonly isTransaction: true;
  executeQuery(query: never): PromiseLike<{ readonly rows: unknown[] }>;
  withoutPlugins(): unknown;
}

/** The `tx` of Prisma's `prisma.$transaction`, on Postgres or on SQLite. */
export interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: never[]): PromiseLike<unknown>;
  $executeRawUnsafe(text: string, ...values: never[]): PromiseLike<number>;
}

/** A connection of better-sqlite3's shape (`better-sqlite3`, `libsql`) or of `node:sqlite`, on which BEGIN was run. */
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

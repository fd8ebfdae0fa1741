/** @module The Batch port: types, dialects, errors and retry. Clients are sub-paths, so no driver is loaded here. */
export type * from "./batch.ts";
export type { Dialect, JsonColumn } from "./dialect/dialect.ts";
export { postgresDialect } from "./dialect/postgres.ts";
export { sqliteDialect } from "./dialect/sqlite.ts";
export { DatabaseError, type DatabaseErrorCode } from "./errors.ts";
export { batchWithRetry, type RetryOptions } from "./retry.ts";

/**
 * @module For authors of a database client, and of code that runs batches: the parts of a client, and its errors. Run
 * `describeDatabaseContract` of `@escapement/db/testing` on your client.
 */
export type {
  BatchOptions,
  BatchResult,
  Committed,
  Conflict,
  Listening,
  SqlValue,
  Statement,
  UniqueViolation,
} from "./batch.ts";
export { findUnusableOption } from "./client-options.ts";
export { DatabaseError } from "./errors.ts";
export type { Dialect, JsonColumn } from "./dialect/dialect.ts";
export { postgresDialect } from "./dialect/postgres.ts";
export { sqliteDialect } from "./dialect/sqlite.ts";
export { batchWithRetry, type RetryOptions } from "./retry.ts";

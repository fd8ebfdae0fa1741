/** @module For authors of a database client, and of what runs batches: what a client is made of, and what it throws. Run `describeDatabaseContract` of `@escapement/db/testing` over yours. */
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
export { DatabaseError } from "./errors.ts";
export type { Dialect, JsonColumn } from "./dialect/dialect.ts";
export { postgresDialect } from "./dialect/postgres.ts";
export { sqliteDialect } from "./dialect/sqlite.ts";
export { batchWithRetry, type RetryOptions } from "./retry.ts";

/** @module For authors of a database client, and of what runs batches: what a client is made of, beside the port that `@escapement/db` gives. Run `describeDatabaseContract` of `@escapement/db/testing` over yours. */
export type { BatchOptions, Committed, Conflict, Listening, UniqueViolation } from "./batch.ts";
export type { Dialect, JsonColumn } from "./dialect/dialect.ts";
export { postgresDialect } from "./dialect/postgres.ts";
export { sqliteDialect } from "./dialect/sqlite.ts";
export { batchWithRetry, type RetryOptions } from "./retry.ts";

/** @module The Batch port: a database as one method. Clients are sub-paths, so no driver is loaded here. */
export type { BatchResult, Database, Row, SqlValue, Statement } from "./batch.ts";
export { DatabaseError } from "./errors.ts";

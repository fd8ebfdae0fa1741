/** @module What `@escapement/fragno` needs beyond the public entries. No promise from one version to the next: both are published together. */
export { classifyPostgresError } from "./dialect/postgres-errors.ts";
export { classifySqliteError } from "./dialect/sqlite-errors.ts";

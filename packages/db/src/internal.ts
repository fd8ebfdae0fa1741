/**
 * @module The parts that `@escapement/fragno` needs beyond the public entries. They may change in any version: both packages are
 * published together.
 */
export { classifyPostgresError } from "./dialect/postgres-errors.ts";
export { classifySqliteError } from "./dialect/sqlite-errors.ts";

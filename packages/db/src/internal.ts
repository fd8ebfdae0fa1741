/**
 * @module The parts that `@escapement/engine` and `@escapement/fragno` need beyond the public entries. They may change in any version: the
 * packages are published together.
 */
export { classifyPostgresError } from "./dialect/postgres-errors.ts";
export { classifySqliteError } from "./dialect/sqlite-errors.ts";
export { toMigrationTurn } from "./migration-turn.ts";

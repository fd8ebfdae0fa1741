/** Facts about a schema that Fragno's language cannot express. */
import type { Database } from "@escapement/db";
import type { AnySchema } from "./internals.ts";

/** A row that was to be created when a unique index refused one. */
export interface RefusedRow {
  /** Logical name of its table. */
  readonly table: string;
  /** As given to `create`. */
  readonly values: Readonly<Record<PropertyKey, unknown>>;
}

/** What the adapter adds to a schema beyond Fragno's own language. */
export interface SchemaExtras {
  /** Repeatable statements, run after each migration of the schema, in its batch. @default none */
  readonly afterMigration?: (database: Database) => readonly string[] | Promise<readonly string[]>;
  /** Changes a statement that Fragno's generator created for a migration of the schema. @default unchanged */
  readonly inMigration?: (statement: string) => string;
  /**
   * The error if a unique index refused one of these rows. With `ConcurrencyConflictError`, the transaction is tried again. null:
   * an ordinary UNIQUE_VIOLATION.
   *
   * @param rows the transaction's rows in the table of that index
   */
  readonly explainUnique?: (rows: readonly RefusedRow[]) => Error | null;
}

const extras = new WeakMap<AnySchema, SchemaExtras>();

/** Adds facts about a schema, once, where it is declared. They apply to all of our adapters. */
export function extendSchema(schema: AnySchema, more: SchemaExtras): void {
  extras.set(schema, more);
}

/** The additional facts; empty for most schemas. */
export function extrasOf(schema: AnySchema): SchemaExtras {
  return extras.get(schema) ?? {};
}

/** What the owner of a schema knows about it that Fragno's language cannot say. */
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
  /** Statements that can be repeated, run in the batch of each migration of the schema, behind it. @default none */
  readonly behindMigration?: (database: Database) => readonly string[] | Promise<readonly string[]>;
  /** Changes a statement that Fragno's generator made for a migration of the schema. @default as it is */
  readonly inMigration?: (statement: string) => string;
  /**
   * What it means that a unique index refused one of these rows. `ConcurrencyConflictError` lets the transaction be
   * tried again. null: a UNIQUE_VIOLATION like any other.
   *
   * @param rows those of the transaction that are of the table whose index it was
   */
  readonly explainUnique?: (rows: readonly RefusedRow[]) => Error | null;
}

const extras = new WeakMap<AnySchema, SchemaExtras>();

/** Says more about a schema, once, where it is declared. It holds for every adapter of ours. */
export function extendSchema(schema: AnySchema, more: SchemaExtras): void {
  extras.set(schema, more);
}

/** What is known beyond Fragno's language; nothing of most schemas. */
export function extrasOf(schema: AnySchema): SchemaExtras {
  return extras.get(schema) ?? {};
}

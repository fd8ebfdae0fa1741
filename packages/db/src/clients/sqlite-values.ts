/** Conversions of parameters for the SQLite and libSQL drivers. */
import type { SqlValue } from "../batch.ts";

/** A parameter in the drivers' form. */
export type SqliteParameter = string | number | bigint | null;

/**
 * Whole numbers become bigints, because the drivers bind every number as a float (`5` would be stored as `5.0` in a column without
 * affinity, and read as `'5.0'` in a text column). Booleans become 0 and 1, because `libsql` 0.5 aborts the process on a boolean.
 */
export function toSqliteParameter(value: SqlValue): SqliteParameter {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  return value;
}

/** Whether a statement only reads, so that the batch needs no write lock. A CTE may write, so it counts as writing. */
export function isReadOnly(text: string): boolean {
  return /^\s*select\b/i.test(text);
}

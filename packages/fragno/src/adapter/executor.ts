/** Runs compiled phases: one phase, one batch, one round trip. */
import type { CompiledMutation, MutationResult } from "@fragno-dev/db/unit-of-work";
import type { Database, Row } from "@escapement/db";
import {
  batchWithRetry,
  type Conflict,
  type RetryOptions,
  type UniqueViolation,
  type BatchResult,
  type Statement,
} from "@escapement/db/client";
import { library } from "./library.ts";
import { columnTypesOf } from "./column-types.ts";
import type { CompiledRead } from "./compile-read.ts";
import { type CompiledWrite, ROW_GUARD } from "./compile-write.ts";
import { FragnoAdapterError } from "./errors.ts";
import { INTERNAL_ID } from "./internals.ts";
import { extrasOf } from "./schema-extras.ts";
import { joinSql, raw, sql, type Sql, toStatement } from "./sql.ts";

/** The rows of one read, with the read that decodes them. */
export interface AnsweredRead {
  readonly read: CompiledRead;
  readonly rows: readonly Row[];
}

/** A database, and its retry options. */
export interface Executing {
  readonly database: Database;
  readonly retry: RetryOptions;
}

/**
 * Runs the reads of a phase on one snapshot of the database.
 *
 * @throws {ConcurrencyConflictError} when the database stays contended
 * @throws {DatabaseError} as `Database.batch`
 */
export async function executeReads(
  { database, retry }: Executing,
  reads: readonly CompiledRead[],
): Promise<AnsweredRead[]> {
  const { dialect } = database;
  const sent = reads.flatMap((read) => (read.sql === null ? [] : [read.sql]));
  const isMerged = dialect.name === "postgres" && sent.length > 1 && !reads.some((r) => r.writes);
  const pieces = isMerged ? [mergeReads(sent, columnTypesOf(dialect).jsonRows)] : sent;
  const statements = pieces.map((piece) => toStatement(piece, dialect));
  const result = await batchWithRetry(database, statements, retry);
  if (result.kind !== "committed") throw new library.ConcurrencyConflictError(result.kind);
  const answers = isMerged ? splitMerged(result.rows[0]?.[0]) : result.rows;
  let next = 0;
  return reads.map((read) => ({
    read,
    rows: read.sql === null ? [] : (answers[next++] ?? []),
  }));
}

/**
 * Runs the writes of a phase, all or none. `success: false` means that another writer was first; the library tries again.
 *
 * @throws {FragnoAdapterError} UNIQUE_VIOLATION, ROW_NOT_FOUND
 * @throws {DatabaseError} as `Database.batch`
 */
export async function executeWrites(
  { database, retry }: Executing,
  writes: readonly CompiledMutation<CompiledWrite>[],
): Promise<MutationResult> {
  const statements = toStatements(writes, database);
  const result = await batchWithRetry(database, statements, retry);
  if (result.kind !== "committed") return { success: refuseOrRetry(result, writes) };
  return { success: true, createdInternalIds: readCreatedIds(writes, result.rows) };
}

/** The statements of the writes, in order. */
export function toStatements(
  writes: readonly CompiledMutation<CompiledWrite>[],
  { dialect }: Pick<Database, "dialect">,
): Statement[] {
  return writes.flatMap(({ query }) =>
    query.statements.map((piece) => toStatement(piece, dialect)),
  );
}

/** The internal ids of the created rows, in order. `rows` are those of the writes' statements. */
export function readCreatedIds(
  writes: readonly CompiledMutation<CompiledWrite>[],
  rows: readonly (readonly Row[])[],
): (bigint | null)[] {
  let next = 0;
  return writes.flatMap(({ op, query }) => {
    const row = rows[next]?.[0];
    next += query.statements.length;
    if (op !== "create") return [];
    return [row === undefined || query.created === null ? null : BigInt(String(row[INTERNAL_ID]))];
  });
}

/** False for a conflict; an error that a retry cannot fix is thrown. */
export function refuseOrRetry(
  result: Exclude<BatchResult, { kind: "committed" }>,
  writes: readonly CompiledMutation<CompiledWrite>[],
): false {
  if (result.kind === "unique") return refuseUnique(result, writes);
  if (isMissingRow(result)) {
    const rows = writes.map(({ query: { row } }) => `${row.physicalTable} ${row.id}`).join(", ");
    throw new FragnoAdapterError("ROW_NOT_FOUND", `No such row: one of ${rows}`);
  }
  return false;
}

/** The error that the schema's owner defines, or a UNIQUE_VIOLATION. */
function refuseUnique(
  violation: UniqueViolation,
  writes: readonly CompiledMutation<CompiledWrite>[],
): false {
  // Constraints are named after their table on Postgres, and reported as `table.column` on SQLite.
  const rows = writes.flatMap(({ query: { row, created } }) =>
    created !== null && violation.constraint.includes(row.physicalTable) ? [created] : [],
  );
  const [first] = rows;
  const explain = first === undefined ? undefined : extrasOf(first.schema).explainUnique;
  const error = explain?.(rows) ?? toUniqueViolation(violation);
  if (error instanceof library.ConcurrencyConflictError) return false;
  throw error;
}

/** The error for a row that a unique index refused. */
export function toUniqueViolation({ constraint }: UniqueViolation): FragnoAdapterError {
  return new FragnoAdapterError("UNIQUE_VIOLATION", "A row with these values exists already", {
    constraint,
  });
}

const isMissingRow = (result: Conflict): boolean => result.guard === ROW_GUARD;

// Under READ COMMITTED, each statement sees its own snapshot, so the reads become one statement.
function mergeReads(reads: readonly Sql[], toJson: (object: string) => string): Sql {
  const columns = reads.map(
    (read, index) =>
      sql`(select ${raw(toJson("row_to_json(r)"))} from (${read}) as r) as ${raw(`r${index}`)}`,
  );
  return sql`select ${joinSql(columns, ", ")}`;
}

function splitMerged(row: Row | undefined): readonly (readonly Row[])[] {
  return Object.values(row ?? {}).map((text) => JSON.parse(String(text)) as readonly Row[]);
}

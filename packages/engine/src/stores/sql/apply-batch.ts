/** Runs batches for the store's verbs and gives their failures the engine's codes. */
import {
  batchWithRetry,
  type Committed,
  type Dialect,
  DatabaseError,
  type Statement,
  type UniqueViolation,
} from "@escapement/db/client";
import type { Database, Row } from "@escapement/db";
import { WorkflowError } from "../../core/errors.ts";
import type { Commit } from "../../core/model/change.ts";
import type { Failed } from "../../ports/create.ts";
import { toSchemaMismatch } from "./migrations/schema-mismatch.ts";
import type { Query } from "./rows.ts";
import type { RunStatements } from "./run-statements.ts";
import { toAccessRefused, toRightMissing, toUnavailable } from "./away.ts";

/** The parts that every verb of the SQL store uses. */
export interface SqlContext {
  readonly database: Database;
  readonly statements: RunStatements;
  /** For statements that are compiled late. */
  readonly dialect: Dialect;
  /**
   * The database takes statements that write in a WITH. In a transaction of a caller's none does: there each statement is part of
   * one that reads its rows, and such a WITH has to stand at the top.
   */
  readonly writesInWith: boolean;
  /** See `SqlStoreOptions.alongside`. */
  readonly alongside: (commits: readonly Commit[]) => readonly Statement[];
}

/** Every statement of the store reads by an index. Tests check its plans. */
const BY_KEYS = { batch: { byKeys: true } } as const;

/** Rows of each statement of a batch, in order. */
export type BatchRows = readonly (readonly Row[])[];

/** Rows by the names of the statements. */
export type Answers<TBatch> = {
  readonly [TName in keyof TBatch]: readonly RowOf<NonNullable<TBatch[TName]>>[];
};
type RowOf<TQuery> = TQuery extends Query<infer TRow> ? TRow : never;

/** Statements by name, applied in this order; null: the statement is left out, and has no rows. */
type Batch = Readonly<Record<string, Query<unknown> | null>>;

/**
 * Applies a batch. On a conflict with other writers, it tries again.
 *
 * @throws {WorkflowError} STORE_UNAVAILABLE — not reachable, or busy for too long
 * @throws {WorkflowError} SCHEMA_MISMATCH — tables or columns are missing
 * @throws {WorkflowError} INVARIANT_BROKEN — the database refused what the store asked
 * @throws {WorkflowError} TRANSACTION_CONFLICT, TRANSACTION_UNUSABLE — of a transaction of the caller's
 */
export async function applyBatch<TBatch extends Batch>(
  database: Database,
  batch: TBatch,
): Promise<Answers<TBatch>> {
  const result = await send(database, batch);
  if (result.kind === "committed") return toAnswers(batch, result.rows);
  throw new WorkflowError("INVARIANT_BROKEN", "a row id was used twice", {
    constraint: result.constraint,
  });
}

/** Like `applyBatch`, for statements without names. */
export async function applyEach<TRow>(
  database: Database,
  queries: readonly Query<TRow>[],
): Promise<readonly (readonly TRow[])[]> {
  const answers = await applyBatch(database, Object.fromEntries(queries.entries()));
  return queries.map((_, index) => answers[index] ?? []);
}

/** Like `applyBatch`, for rows that should be new; null: one of them exists already, and nothing was changed. */
export async function applyIfNew<TBatch extends Batch>(
  database: Database,
  batch: TBatch,
): Promise<Answers<TBatch> | null> {
  const result = await send(database, batch);
  return result.kind === "committed" ? toAnswers(batch, result.rows) : null;
}

async function send(database: Database, batch: Batch): Promise<Committed | UniqueViolation> {
  const statements: Statement[] = [];
  for (const statement of Object.values(batch)) if (statement !== null) statements.push(statement);
  const result = await batchWithRetry(database, statements, BY_KEYS).catch((error: unknown) => {
    throw toWorkflowError(error);
  });
  if (result.kind === "conflict") throw busyError(result.reason);
  return result;
}

/** The rows of one statement. Drivers return rows without types: the type that the statement names is trusted. */
export const rowsOf = <TRow>(
  _query: Query<TRow>,
  rows: readonly Row[] | undefined,
): readonly TRow[] => (rows ?? []) as readonly TRow[];

function toAnswers<TBatch extends Batch>(batch: TBatch, rows: BatchRows): Answers<TBatch> {
  const answers: Record<string, readonly Row[]> = {};
  let place = 0;
  for (const name of Object.keys(batch)) {
    answers[name] = batch[name] === null ? [] : (rows[place] ?? []);
    if (batch[name] !== null) place += 1;
  }
  return answers as Answers<TBatch>;
}

/** The error if the database stayed busy with other writers, or one of them kept a row locked. It may be tried again. */
export const busyError = (reason: string): WorkflowError =>
  new WorkflowError(
    "STORE_UNAVAILABLE",
    reason === "locked"
      ? "another writer kept a row locked: nothing was changed"
      : "the database stayed busy with other writers",
    { reason },
  );

/** Gives a failure of the database the engine's code. */
export function toWorkflowError(error: unknown): unknown {
  if (!DatabaseError.is(error)) return error;
  if (error.code === "DATABASE_UNAVAILABLE") return toUnavailable(error);
  if (error.code === "TRANSACTION_CONFLICT" || error.code === "TRANSACTION_UNUSABLE")
    return new WorkflowError(error.code, error.message, {}, error);
  return (
    toAccessRefused(error) ??
    toRightMissing(error) ??
    toSchemaMismatch(error) ??
    new WorkflowError(
      "INVARIANT_BROKEN",
      `the database refused a statement: ${error.message}`,
      {},
      error,
    )
  );
}

const STORE_WIDE: ReadonlySet<string> = new Set([
  "STORE_UNAVAILABLE",
  "STORE_OPTIONS_INVALID",
  "SCHEMA_MISMATCH",
]);

/** Whether an error concerns the whole store, and not one item of a shared trip. */
const isStoreWide = (error: unknown): boolean =>
  WorkflowError.is(error) && STORE_WIDE.has(error.code);

/**
 * Applies items in one shared trip. If the database refuses it, each item is sent alone, so that a bad one fails alone.
 *
 * @throws {WorkflowError} STORE_UNAVAILABLE, SCHEMA_MISMATCH
 */
export async function applyShared<Item, Result>(
  items: readonly Item[],
  apply: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly (Result | Failed)[]> {
  if (items.length === 0) return [];
  try {
    return await apply(items);
  } catch (error) {
    if (isStoreWide(error)) throw error;
    if (items.length === 1) return [{ kind: "failed", error }];
  }
  const results: (Result | Failed)[] = [];
  for (const item of items) results.push(...(await applyShared([item], apply)));
  return results;
}

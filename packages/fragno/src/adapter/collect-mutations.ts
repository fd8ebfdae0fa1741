/** Other fragments' writes as statements for a batch that someone else sends, for instance that of a workflow's step. */
import type { createHandlerTxBuilder } from "@fragno-dev/db";
import type { CompiledMutation, IUnitOfWork, MutationResult } from "@fragno-dev/db/unit-of-work";
import type { Row } from "@escapement/db";
import type { BatchResult, Statement } from "@escapement/db/client";
import { library } from "./library.ts";
import {
  createExecutor,
  createRequestUnitOfWork,
  type FragnoAdapter,
  insidesOf,
} from "./adapter.ts";
import { type CompiledWrite, ROW_GUARD, VERSION_GUARD } from "./compile-write.ts";
import { FragnoAdapterError } from "./errors.ts";
import { readCreatedIds, refuseOrRetry, toStatements } from "./executor.ts";
import type { RequestStore } from "./request.ts";
import { withResolvers } from "./runtime-shims.ts";
import type { AdapterInsides } from "./shared-state.ts";

type Writes = readonly CompiledMutation<CompiledWrite>[];
/** A batch that was not applied. */
export type Refusal = Exclude<BatchResult, { readonly kind: "committed" }>;

/** Where mutations are collected. */
export type MutationContext = Pick<IUnitOfWork, "forSchema" | "idempotencyKey">;

/** Writes of fragments that are not applied yet. */
export interface CollectedMutations {
  /** In order, with guards; empty if there is nothing to write. Put them in one batch, after its fence. */
  readonly statements: readonly Statement[];
  /**
   * What a refused batch means for these writes: `ConcurrencyConflictError` (collect again, from fresh reads), `FragnoAdapterError`
   * UNIQUE_VIOLATION or ROW_NOT_FOUND; null: the refusal is not about these writes.
   */
  readonly explain: (refusal: Refusal) => Error | null;
  /** Call it after the commit, so that a polling processor runs hooks among the writes at once. */
  readonly noteCommit: () => void;
}

/** Options of collecting. */
export interface CollectOptions {
  /** Identifies the unit of work and its hooks; use the same key for each try. @default a new one */
  readonly idempotencyKey?: string;
}

/** A transaction that is complete except for its write. */
export interface PreparedTransaction<T> extends CollectedMutations {
  /** Pass it when the transaction is prepared again. */
  readonly idempotencyKey: string;
  /**
   * Continues like `execute()` after the commit: internal ids become known and `transform` runs.
   *
   * @param rows rows of `statements`, in their order
   */
  readonly complete: (rows: readonly (readonly Row[])[]) => Promise<T>;
  /** Ends the transaction like one that met a conflict. */
  readonly abandon: () => void;
}

/** The builder of `handlerTx()`. */
export type TransactionBuilder = ReturnType<typeof createHandlerTxBuilder>;

/**
 * Collects writes in a unit of work that is never executed, including the hooks that they trigger.
 *
 * @param collect called once, synchronously
 * @throws {FragnoAdapterError} UNKNOWN_SCHEMA, INVALID_VALUE, INVALID_QUERY
 */
export function collectMutations(
  adapter: FragnoAdapter,
  collect: (context: MutationContext) => void,
  options: CollectOptions = {},
): CollectedMutations {
  const insides = requireInsides(adapter);
  const uow = createRequestUnitOfWork(insides, insides.namespaces.internal, options);
  collect({
    forSchema: (schema, hooks) => uow.forSchema(schema, hooks),
    idempotencyKey: uow.idempotencyKey,
  });
  const { mutationBatch } = uow.compile(insides.compiler);
  return toCollected(insides, mutationBatch as Writes);
}

/**
 * Runs a transaction up to its write: it makes the service calls, does their reads (one trip, or none without reads), and collects their
 * mutations.
 *
 * ```ts
 * const prepared = await prepareTransaction(adapter, (tx) =>
 *   tx.withServiceCalls(() => [orders.close(orderId)]).transform(({ serviceResult }) => serviceResult[0]),
 * );
 * const result = await database.batch([...fence, ...prepared.statements]);
 * ```
 *
 * @throws whatever the transaction throws before it writes; after `ConcurrencyConflictError`, prepare again with the same key
 */
export async function prepareTransaction<T>(
  adapter: FragnoAdapter,
  compose: (tx: TransactionBuilder) => { execute(): Promise<T> },
  options: CollectOptions = {},
): Promise<PreparedTransaction<T>> {
  const insides = requireInsides(adapter);
  const gate = new WriteGate();
  const executor = {
    ...createExecutor(insides),
    executeMutationPhase: (writes: unknown) => gate.arrive(writes as Writes),
  };
  const { internal } = insides.namespaces;
  const uow = createRequestUnitOfWork(insides, internal, { ...options, executor });
  const result = insides.storage.run({ uow }, () =>
    compose(beginTransaction(insides.storage.getStore())).execute(),
  );
  // Without this, a transaction that fails before its write would also cause an unhandled rejection.
  result.catch(() => undefined);
  const writes = await Promise.race([gate.writes, result.then(refuseEarlyEnd)]);
  return {
    ...toCollected(insides, writes),
    idempotencyKey: uow.idempotencyKey,
    complete(rows) {
      gate.open({ success: true, createdInternalIds: readCreatedIds(writes, rows) });
      insides.filed.noteCommit(writes);
      return result;
    },
    abandon: () => gate.open({ success: false }),
  };
}

/** Stops a transaction at its write. */
class WriteGate {
  readonly writes: Promise<Writes>;
  readonly arrive: (writes: Writes) => Promise<MutationResult>;
  readonly open: (result: MutationResult) => void;

  constructor() {
    const arrived = withResolvers<Writes>();
    const opened = withResolvers<MutationResult>();
    this.writes = arrived.promise;
    this.open = opened.resolve;
    this.arrive = (writes) => {
      arrived.resolve(writes);
      return opened.promise;
    };
  }
}

function beginTransaction(store: RequestStore): TransactionBuilder {
  return library.createHandlerTxBuilder({
    createUnitOfWork: () => {
      store.uow.reset();
      return store.uow;
    },
    retryPolicy: new library.NoRetryPolicy(),
  });
}

function toCollected(insides: AdapterInsides, writes: Writes): CollectedMutations {
  const tables = [...new Set(writes.map(({ query }) => query.row.physicalTable))];
  return {
    statements: toStatements(writes, insides.executing.database),
    explain: (refusal) => explain(refusal, writes, tables),
    noteCommit: () => insides.filed.noteCommit(writes),
  };
}

function explain(refusal: Refusal, writes: Writes, tables: readonly string[]): Error | null {
  // Constraints are named after their table on Postgres, and reported as `table.column` on SQLite.
  const isOurs =
    refusal.kind === "unique"
      ? tables.some((table) => refusal.constraint.includes(table))
      : refusal.guard === VERSION_GUARD || refusal.guard === ROW_GUARD;
  if (!isOurs) return null;
  try {
    refuseOrRetry(refusal, writes);
    return new library.ConcurrencyConflictError();
  } catch (error) {
    return error as Error;
  }
}

function refuseEarlyEnd(): never {
  throw new FragnoAdapterError("INVALID_QUERY", "The transaction ended before it wrote");
}

function requireInsides(adapter: FragnoAdapter): AdapterInsides {
  const insides = insidesOf(adapter);
  if (insides !== null) return insides;
  throw new FragnoAdapterError("INVALID_QUERY", "The adapter is not one of createFragnoAdapter");
}

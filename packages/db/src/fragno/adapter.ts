/** Fragno's `DatabaseAdapter` on the Batch port. */
import type { DatabaseAdapter } from "@fragno-dev/db";
import {
  fragnoDatabaseAdapterNameFakeSymbol,
  fragnoDatabaseAdapterVersionFakeSymbol,
  type TableNameMapper,
} from "@fragno-dev/db/adapters";
import type { SimpleQueryInterface } from "@fragno-dev/db/query";
import {
  type CompiledMutation,
  type MutationResult,
  type UOWExecutor,
  UnitOfWork,
} from "@fragno-dev/db/unit-of-work";
import type { Database } from "../batch.ts";
import { DatabaseError } from "../errors.ts";
import type { RetryOptions } from "../retry.ts";
import type { CompiledRead } from "./compile-read.ts";
import type { CompiledWrite } from "./compile-write.ts";
import { createCompiler } from "./compiler.ts";
import { type AnsweredRead, executeReads, executeWrites, type Executing } from "./executor.ts";
import { currentHookRun } from "./hooks/hook-run.ts";
import { type AnySchema, type Compiler, HOOKS_TABLE } from "./internals.ts";
import { MigrationGenerator } from "./migration-generator.ts";
import { prepareMigrations, readSchemaVersion } from "./migrations.ts";
import { createQueries } from "./query-engine.ts";
import type { RequestStorage } from "./request-storage.ts";
import { installRuntimeShims } from "./runtime-shims.ts";
import { type SharedState, sharedStateOf } from "./shared-state.ts";
import { toLogicalName, toPhysicalName } from "./tables.ts";
import { RequestUnitOfWork } from "./unit-of-work.ts";

/** What a unit of work of ours may be told; Fragno passes it through. */
export interface UnitOfWorkOptions {
  /** Compile, and send nothing. @default false */
  readonly dryRun?: boolean;
}

export interface FragnoAdapterOptions {
  readonly database: Database;
  /**
   * How a batch that met a serialization failure, a deadlock or a busy database is sent again before Fragno hears of it.
   * @default ten tries with jitter, see `batchWithRetry`
   */
  readonly retry?: RetryOptions;
}

type PreparedMigrations = ReturnType<NonNullable<DatabaseAdapter["prepareMigrations"]>>;
type Executor = UOWExecutor<unknown>;

/** Fragno's adapter, and what it needs to be asked for besides. */
export interface FragnoAdapter extends DatabaseAdapter<UnitOfWorkOptions> {
  readonly database: Database;
  /** Loads the generator of migration SQL: needed before `compile` and `getSQL` of `prepareMigrations`. */
  loadMigrations(): Promise<void>;
  prepareMigrations(schema: AnySchema, namespace: string): PreparedMigrations;
}

/**
 * Creates an adapter for Fragno's fragments. Each phase of a unit of work is one batch: one transaction, one round trip.
 *
 * Adapters made of one `Database` object compose with each other. Hooks never run on a request's time: see
 * `createDurableHooksProcessor`.
 */
export function createFragnoAdapter(options: FragnoAdapterOptions): FragnoAdapter {
  installRuntimeShims();
  return new BatchAdapter(options);
}

/** The insides of an adapter of ours, for the rest of this room. Null for any other adapter. */
export function insidesOf(adapter: object): AdapterInsides | null {
  return insides.get(adapter) ?? null;
}

export interface AdapterInsides extends SharedState {
  readonly executing: Executing;
  readonly compiler: Compiler;
}

const insides = new WeakMap<object, AdapterInsides>();

class BatchAdapter implements FragnoAdapter {
  readonly [fragnoDatabaseAdapterNameFakeSymbol] = "escapement-batch";
  readonly [fragnoDatabaseAdapterVersionFakeSymbol] = 0;
  readonly database: Database;
  readonly contextStorage: RequestStorage;
  readonly #insides: AdapterInsides;
  readonly #generator: MigrationGenerator;
  /** The library asks for the engine of a fragment anew at each request. */
  readonly #engines = new WeakMap<AnySchema, object>();

  constructor({ database, retry = {} }: FragnoAdapterOptions) {
    const shared = sharedStateOf(database);
    const { dialect } = database;
    this.database = database;
    this.contextStorage = shared.storage;
    this.#generator = new MigrationGenerator(dialect.name);
    this.#insides = {
      ...shared,
      executing: { database, retry },
      compiler: createCompiler({ ...shared, dialect }),
    };
    insides.set(this, this.#insides);
  }

  createQueryEngine<const T extends AnySchema>(
    schema: T,
    namespace: string,
  ): SimpleQueryInterface<T, UnitOfWorkOptions> {
    this.#insides.namespaces.register(schema, namespace);
    const known = this.#engines.get(schema) ?? this.#createEngine(schema, namespace);
    this.#engines.set(schema, known);
    return known as SimpleQueryInterface<T, UnitOfWorkOptions>;
  }

  #createEngine(schema: AnySchema, namespace: string): object {
    const createUnitOfWork = (name?: string, config?: UnitOfWorkOptions): RequestUnitOfWork =>
      createRequestUnitOfWork(this.#insides, schema, { name, ...config });
    const scope = { dialect: this.database.dialect, namespace };
    const { executing } = this.#insides;
    return { ...createQueries({ schema, scope, executing, createUnitOfWork }), createUnitOfWork };
  }

  prepareMigrations(schema: AnySchema, namespace: string): PreparedMigrations {
    const parts = { database: this.database, generator: this.#generator };
    return prepareMigrations(parts, { schema, namespace });
  }

  loadMigrations(): Promise<void> {
    return this.#generator.load();
  }

  getSchemaVersion(namespace: string): Promise<string | undefined> {
    return readSchemaVersion(this.database, namespace);
  }

  createTableNameMapper(namespace: string): TableNameMapper {
    return {
      toPhysical: (name) => toPhysicalName(name, namespace),
      toLogical: (name) => toLogicalName(name, namespace),
    };
  }

  /** Fragno asks this first of all when it migrates, so that the generator is loaded when it needs SQL at once. */
  async isConnectionHealthy(): Promise<boolean> {
    await this.loadMigrations();
    try {
      const result = await this.database.batch([{ text: "select 1 as healthy", values: [] }]);
      return result.kind === "committed";
    } catch (error) {
      if (DatabaseError.is(error) && error.retryable) return false;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

interface UnitOfWorkSettings extends UnitOfWorkOptions {
  readonly name?: string | undefined;
  /** In place of the adapter's. */
  readonly executor?: Executor;
}

/** A unit of work for a request of the schema's fragment. */
export function createRequestUnitOfWork(
  { compiler, executing, namespaces }: AdapterInsides,
  schema: AnySchema,
  { name, dryRun = false, executor = createExecutor(executing) }: UnitOfWorkSettings = {},
): RequestUnitOfWork {
  return new RequestUnitOfWork({
    schema,
    namespaces,
    make: (idempotencyKey) =>
      new UnitOfWork(
        compiler,
        executor,
        {
          decode: (answers) =>
            (answers as AnsweredRead[]).map(({ read, rows }) => read.decode(rows)),
        },
        name,
        { dryRun, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
        namespaces.map,
      ),
  });
}

/** The library's executor on the Batch port. */
export function createExecutor(executing: Executing): Executor {
  return {
    executeRetrievalPhase: (reads) => executeReads(executing, reads as CompiledRead[]),
    executeMutationPhase: (writes) => {
      const compiled = writes as CompiledMutation<CompiledWrite>[];
      return markHook(compiled) ?? executeWrites(executing, compiled);
    },
  };
}

/** What the library says of the hook that a processor gave it: sent with what is said of others. Null: another write. */
function markHook(
  writes: readonly CompiledMutation<CompiledWrite>[],
): Promise<MutationResult> | null {
  const others = writes.some(
    ({ op, query }) => op !== "update" || query.row.physicalTable !== HOOKS_TABLE,
  );
  const run = others || writes.length === 0 ? null : currentHookRun();
  if (run === null) return null;
  const marked = writes.flatMap(({ query }) => query.statements.map((mark) => run.mark(mark)));
  return Promise.all(marked).then(() => ({ success: true, createdInternalIds: [] }));
}

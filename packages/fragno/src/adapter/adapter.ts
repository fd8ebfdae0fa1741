/** Fragno's `DatabaseAdapter` on the Batch port. */
import type { DatabaseAdapter } from "@fragno-dev/db";
import {
  fragnoDatabaseAdapterNameFakeSymbol,
  fragnoDatabaseAdapterVersionFakeSymbol,
  type TableNameMapper,
} from "@fragno-dev/db/adapters";
import type { SimpleQueryInterface } from "@fragno-dev/db/query";
import type {
  CompiledMutation,
  MutationResult,
  UOWDecoder,
  UOWExecutor,
  UnitOfWork,
} from "@fragno-dev/db/unit-of-work";
import type { Database } from "@escapement/db";
import {
  type Dialect,
  type RetryOptions,
  DatabaseError,
  type SqlValue,
} from "@escapement/db/client";
import { library, requireKnownFragno } from "./library.ts";
import type { CompiledRead } from "./compile-read.ts";
import type { CompiledWrite } from "./compile-write.ts";
import { createCompiler } from "./compiler.ts";
import { type AnsweredRead, executeReads, executeWrites } from "./executor.ts";
import { currentHookRun } from "./hooks/hook-run.ts";
import { type AnySchema, HOOKS_TABLE } from "./internals.ts";
import { FragnoVersionError } from "./library-version.ts";
import { MigrationGenerator } from "./migration-generator.ts";
import { prepareMigrations, readSchemaVersion } from "./migrations.ts";
import { createQueries } from "./query-engine.ts";
import type { RequestStorage } from "./request-storage.ts";
import { installRuntimeShims } from "./runtime-shims.ts";
import { type AdapterInsides, sharedStateOf } from "./shared-state.ts";
import { toStatement } from "./sql.ts";
import { toLogicalName, toPhysicalName } from "./tables.ts";
import { createBareUnitOfWork, type RequestUnitOfWork } from "./unit-of-work.ts";

/** Options of our units of work; Fragno passes them through. */
export interface UnitOfWorkOptions {
  /** Compile, but send nothing. @default false */
  readonly dryRun?: boolean;
  /** Called with each statement when it is compiled, before it is sent; guards are included. */
  readonly onQuery?: (query: AdapterQuery) => void;
}

/** A statement, in the form that Fragno's own adapters report. */
export interface AdapterQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** The database, and how conflicts are retried. */
export interface FragnoAdapterOptions {
  readonly database: Database;
  /**
   * How a batch is repeated after a serialization failure, a deadlock or a busy database, before Fragno learns of it.
   * @default see `batchWithRetry`
   */
  readonly retry?: RetryOptions;
}

type PreparedMigrations = ReturnType<NonNullable<DatabaseAdapter["prepareMigrations"]>>;
type Executor = UOWExecutor<unknown>;

/** Fragno's adapter, with one more method. */
export interface FragnoAdapter extends DatabaseAdapter<UnitOfWorkOptions> {
  readonly database: Database;
  /** Loads the generator of migration SQL. Needed before `compile` and `getSQL` of `prepareMigrations`. */
  loadMigrations(): Promise<void>;
  prepareMigrations(schema: AnySchema, namespace: string): PreparedMigrations;
}

/**
 * Creates an adapter for Fragno's fragments. Each phase of a unit of work is one batch: one transaction, one round trip.
 *
 * Adapters with the same `Database` object compose with each other. Hooks never run during a request: see
 * `createDurableHooksProcessor`.
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED — another version of Fragno is installed. Calls throw it, too, if another
 *   version of the library makes them
 */
export function createFragnoAdapter(options: FragnoAdapterOptions): FragnoAdapter {
  requireKnownFragno();
  installRuntimeShims();
  return new BatchAdapter(options);
}

/** The internals of one of our adapters, for the rest of this folder. null for any other adapter. */
export function insidesOf(adapter: object): AdapterInsides | null {
  return insides.get(adapter) ?? null;
}

/** Tells the adapter's processors of hooks that were filed by statements which the adapter has not seen. */
export const noteFiledHooks = (adapter: object): void => insidesOf(adapter)?.filed.note();

const insides = new WeakMap<object, AdapterInsides>();

class BatchAdapter implements FragnoAdapter {
  readonly [fragnoDatabaseAdapterNameFakeSymbol] = "escapement-batch";
  readonly [fragnoDatabaseAdapterVersionFakeSymbol] = 0;
  readonly database: Database;
  readonly contextStorage: RequestStorage;
  readonly #insides: AdapterInsides;
  readonly #generator: MigrationGenerator;
  /** The library asks for a fragment's engine at each request. */
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

  /** Fragno calls this first when it migrates, so the generator is loaded by the time it needs SQL synchronously. */
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

/** Methods that later versions of the library expect from an adapter. */
const LATER_MEMBERS = [
  "registerSchema",
  "createBaseUnitOfWork",
  "createUnitOfWork",
  "namingStrategy",
];

for (const name of LATER_MEMBERS) {
  Object.defineProperty(BatchAdapter.prototype, name, {
    get(): never {
      throw new FragnoVersionError(`it asks an adapter for ${name}`);
    },
  });
}

interface UnitOfWorkSettings extends UnitOfWorkOptions {
  readonly name?: string | undefined;
  /** @default a new one */
  readonly idempotencyKey?: string | undefined;
  /** Replaces the adapter's executor. */
  readonly executor?: Executor;
}

/** A unit of work for a request to the schema's fragment. */
export function createRequestUnitOfWork(
  parts: AdapterInsides,
  schema: AnySchema,
  settings: UnitOfWorkSettings = {},
): RequestUnitOfWork {
  const { compiler, executing, namespaces } = parts;
  const { name, dryRun = false, onQuery, executor = createExecutor(parts) } = settings;
  const { dialect } = executing.database;
  const decoder: UOWDecoder = {
    decode: (answers) => (answers as AnsweredRead[]).map(({ read, rows }) => read.decode(rows)),
  };
  const config = {
    dryRun,
    ...(onQuery === undefined
      ? {}
      : { onQuery: (compiled: unknown) => listQueries(compiled, dialect).forEach(onQuery) }),
  };
  const make = (idempotencyKey?: string): UnitOfWork => {
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    return new library.UnitOfWork(
      compiler,
      executor,
      decoder,
      name,
      { ...config, ...key },
      namespaces.map,
    );
  };
  return createBareUnitOfWork({ schema, namespaces, make }, settings.idempotencyKey);
}

/** The SQL of a compiled operation, in order; empty if its answer is known without a query. */
function listQueries(compiled: unknown, dialect: Dialect): readonly AdapterQuery[] {
  const operation = compiled as CompiledRead | CompiledMutation<CompiledWrite>;
  const pieces = "query" in operation ? operation.query.statements : [operation.sql];
  return pieces
    .filter((piece) => piece !== null)
    .map((piece) => toStatement(piece, dialect))
    .map(({ text, values }) => ({ sql: text, parameters: values }));
}

/** The library's executor on the Batch port. */
export function createExecutor({
  executing,
  filed,
}: Pick<AdapterInsides, "executing" | "filed">): Executor {
  return {
    executeRetrievalPhase: (reads) => executeReads(executing, reads as CompiledRead[]),
    async executeMutationPhase(writes) {
      const compiled = writes as CompiledMutation<CompiledWrite>[];
      const result = await (markHook(compiled) ?? executeWrites(executing, compiled));
      if (result.success) filed.noteCommit(compiled);
      return result;
    },
  };
}

/**
 * Recognises the library's update of a hook that a processor is running, which is sent together with those of other hooks. null: another
 * write.
 */
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

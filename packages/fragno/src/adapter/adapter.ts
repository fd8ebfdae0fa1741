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

/** What a unit of work of ours may be told; Fragno passes it through. */
export interface UnitOfWorkOptions {
  /** Compile, and send nothing. @default false */
  readonly dryRun?: boolean;
  /** Called with each statement when it is compiled, before it is sent; guards are among them. */
  readonly onQuery?: (query: AdapterQuery) => void;
}

/** A statement, in the shape in which Fragno's own adapters tell of theirs. */
export interface AdapterQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** The database, and how its conflicts are tried again. */
export interface FragnoAdapterOptions {
  readonly database: Database;
  /**
   * How a batch that met a serialization failure, a deadlock or a busy database is sent again before Fragno hears of it.
   * @default see `batchWithRetry`
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
 *
 * @throws {FragnoVersionError} FRAGNO_VERSION_UNSUPPORTED — another version of Fragno is installed; so throw calls of an
 * adapter that another version than the adapter's makes
 */
export function createFragnoAdapter(options: FragnoAdapterOptions): FragnoAdapter {
  requireKnownFragno();
  installRuntimeShims();
  return new BatchAdapter(options);
}

/** The insides of an adapter of ours, for the rest of this room. Null for any other adapter. */
export function insidesOf(adapter: object): AdapterInsides | null {
  return insides.get(adapter) ?? null;
}

/** Hooks were filed by statements that the adapter has not seen: its processors are told. */
export const noteFiledHooks = (adapter: object): void => insidesOf(adapter)?.filed.note();

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

/** What later versions of the library ask an adapter for. */
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
  /** In place of the adapter's. */
  readonly executor?: Executor;
}

/** A unit of work for a request of the schema's fragment. */
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

/** The SQL of a compiled operation, in order; none of one whose answer is known. */
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

/** Fragno's generator of migration SQL. It depends on Kysely, so it is only loaded for migrations. */
import type { DatabaseAdapter } from "@fragno-dev/db";
import { type Dialect, DatabaseError } from "@escapement/db/client";
import { FragnoAdapterError } from "./errors.ts";
import { type AnySchema, INTERNAL_NAMESPACE } from "./internals.ts";

type PreparedMigrations = ReturnType<NonNullable<DatabaseAdapter["prepareMigrations"]>>;

/** The loaded generator. */
export interface LoadedGenerator {
  /** Migrations that can be compiled but not run. */
  prepare(schema: AnySchema, namespace: string): PreparedMigrations;
  /** Fragno's own tables, for versions and hooks. */
  readonly internal: { readonly schema: AnySchema; readonly namespace: string };
}

export class MigrationGenerator {
  readonly #dialect: Dialect["name"];
  #loading: Promise<LoadedGenerator> | null = null;
  #loaded: LoadedGenerator | null = null;

  constructor(dialect: Dialect["name"]) {
    this.#dialect = dialect;
  }

  async load(): Promise<void> {
    this.#loading ??= loadGenerator(this.#dialect);
    this.#loaded = await this.#loading;
  }

  /** @throws {FragnoAdapterError} MIGRATIONS_NOT_LOADED */
  get(): LoadedGenerator {
    if (this.#loaded !== null) return this.#loaded;
    throw new FragnoAdapterError(
      "MIGRATIONS_NOT_LOADED",
      "Call `await adapter.loadMigrations()` before asking for the SQL of migrations",
    );
  }
}

async function loadGenerator(name: Dialect["name"]): Promise<LoadedGenerator> {
  const [{ instantiate }, { internalFragmentDef }, { GenericSQLAdapter }, dialects, drivers] =
    await Promise.all([
      import("@fragno-dev/core"),
      import("@fragno-dev/db"),
      import("@fragno-dev/db/adapters/generic-sql"),
      import("@fragno-dev/db/dialects"),
      import("@fragno-dev/db/drivers"),
    ]);
  const adapter = new GenericSQLAdapter(
    name === "postgres"
      ? {
          dialect: new dialects.PostgresDialect({ pool: refuse }),
          driverConfig: new drivers.NodePostgresDriverConfig(),
        }
      : {
          dialect: new dialects.SqliteDialect({ database: refuse }),
          driverConfig: new drivers.BetterSQLite3DriverConfig(),
        },
  );
  const { schema: internal } = instantiate(internalFragmentDef)
    .withConfig({})
    .withOptions({ databaseAdapter: adapter })
    .build().$internal.deps;
  return {
    prepare: (schema, namespace) => adapter.prepareMigrations(schema, namespace),
    internal: { schema: internal, namespace: INTERNAL_NAMESPACE },
  };
}

const refuse = (): Promise<never> =>
  Promise.reject(new DatabaseError("DATABASE_REJECTED", "the generator has no database"));

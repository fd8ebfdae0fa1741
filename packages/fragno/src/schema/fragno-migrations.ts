/** The output of Fragno's own migration generator for one database, as statements per version. */
import { instantiate } from "@fragno-dev/core";
import { internalFragmentDef } from "@fragno-dev/db";
import { GenericSQLAdapter, type GenericSQLOptions } from "@fragno-dev/db/adapters/generic-sql";
import { PostgresDialect, SqliteDialect } from "@fragno-dev/db/dialects";
import { BetterSQLite3DriverConfig, NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import { assertInvariant, type MigrationSet, type VersionRow } from "@escapement/engine/internal";
import { WorkflowError } from "@escapement/engine";
import { NAMESPACE, workflowsSchema } from "./workflows-schema.ts";

/** Database families that SQL is generated for; the same names as `Dialect.name`. */
export type DatabaseName = "postgres" | "sqlite";

/** Fragno's statements as it generates them: not yet repeatable, and apart from the recording of versions. */
export type FragnoMigrations = Pick<
  MigrationSet,
  "settings" | "settingsVersion" | "settingsVersionRow" | "steps" | "versionRow"
>;

/** Compiles the declaration for one database; needs no connection. */
export function compileFragnoMigrations(database: DatabaseName): FragnoMigrations {
  const adapter = new GenericSQLAdapter(coldOptions(database));
  const { schema, namespace } = instantiate(internalFragmentDef)
    .withConfig({})
    .withOptions({ databaseAdapter: adapter })
    .build().$internal.deps;
  const settings = adapter.prepareMigrations(schema, namespace);
  const workflows = adapter.prepareMigrations(workflowsSchema, NAMESPACE);
  return {
    settings: compileRange(settings, 0, schema.version),
    settingsVersion: schema.version,
    settingsVersionRow: compileVersionRow(settings),
    steps: Array.from({ length: workflowsSchema.version }, (_, from) =>
      compileRange(workflows, from, from + 1),
    ),
    versionRow: compileVersionRow(workflows),
  };
}

type PreparedMigrations = ReturnType<GenericSQLAdapter["prepareMigrations"]>;

function compileRange(migrations: PreparedMigrations, from: number, to: number): readonly string[] {
  return (
    migrations
      .compile(from, to, { updateVersionInMigration: false })
      .statements.map((statement) => statement.sql)
      // We declare no foreign keys that could be deferred, and some servers that speak SQLite over HTTP refuse pragmas.
      .filter((sql) => !sql.startsWith("PRAGMA"))
  );
}

/** Fragno derives the row's id from its key; both are read from the insert that it generates. */
function compileVersionRow(migrations: PreparedMigrations): VersionRow {
  const insert = migrations.compile(0, 1).statements.at(-1)?.sql ?? "";
  const [, id, key] = /values \('([^']+)', '([^']+)', '1'\)/u.exec(insert) ?? [];
  assertInvariant(id !== undefined && key !== undefined, "Fragno records versions in another way", {
    insert,
  });
  return { id, key };
}

const noConnection = (): Promise<never> =>
  Promise.reject(new WorkflowError("INVARIANT_BROKEN", "the generator has no database"));

function coldOptions(database: DatabaseName): GenericSQLOptions {
  return database === "postgres"
    ? {
        dialect: new PostgresDialect({ pool: noConnection }),
        driverConfig: new NodePostgresDriverConfig(),
      }
    : {
        dialect: new SqliteDialect({ database: noConnection }),
        driverConfig: new BetterSQLite3DriverConfig(),
      };
}

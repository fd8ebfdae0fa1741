/** Fragno's migrations, run under a lock and from the version that the database really has. */
import type { DatabaseAdapter } from "@fragno-dev/db";
import { batchWithRetry, DatabaseError, type Statement } from "@escapement/db/client";
import { toMigrationTurn } from "@escapement/db/internal";
import type { Database } from "@escapement/db";
import { FragnoAdapterError } from "./errors.ts";
import {
  type AnySchema,
  INTERNAL_NAMESPACE,
  SETTINGS_TABLE,
  toMigratable,
  toVersionKey,
} from "./internals.ts";
import { extrasOf } from "./schema-extras.ts";
import { param, raw, sql, toStatement } from "./sql.ts";
import type { MigrationGenerator } from "./migration-generator.ts";

type PreparedMigrations = ReturnType<NonNullable<DatabaseAdapter["prepareMigrations"]>>;
type ExecuteOptions = Parameters<PreparedMigrations["execute"]>[2];

/** False if another process migrated after the version was read. */
const GUARD = "fragno-schema";
const MAX_LOOKS = 5;

/** The parts that migrating needs. */
export interface MigrationParts {
  readonly database: Database;
  readonly generator: MigrationGenerator;
}

/** One schema in one namespace. */
interface Target {
  readonly schema: AnySchema;
  readonly namespace: string;
}

/** Fragno's `PreparedMigrations`. `execute` takes the version from the database, not from its caller. */
export function prepareMigrations(parts: MigrationParts, target: Target): PreparedMigrations {
  const { schema } = target;
  const compile: PreparedMigrations["compile"] = (from, to = schema.version, options) =>
    compileRange(parts, target, { from, to, options });
  return {
    compile,
    getSQL: (from, to, options) =>
      compile(from, to, options)
        .statements.map((statement) => `${statement.sql};`)
        .join("\n\n"),
    execute: (_from, to = schema.version, options) => execute(parts, target, { to, options }),
    executeWithDriver: async (driver, from, to, options) => {
      await parts.generator.load();
      const { statements } = compile(from, to, options);
      await driver.transaction(async (within) => {
        for (const statement of statements) await within.executeQuery(statement);
      });
    },
  };
}

/** The version of a namespace's tables; undefined if none is stored. */
export async function readSchemaVersion(
  database: Database,
  namespace: string,
): Promise<string | undefined> {
  if (!(await hasSettings(database))) return undefined;
  const key = param(toVersionKey(namespace));
  const text = sql`select "value" from ${raw(`"${SETTINGS_TABLE}"`)} where "key" = ${key}`;
  const rows = await read(database, toStatement(text, database.dialect));
  return rows[0] === undefined ? undefined : String(rows[0]["value"]);
}

function compileRange(
  { database, generator }: MigrationParts,
  { schema, namespace }: Target,
  range: { readonly from: number; readonly to: number; readonly options: ExecuteOptions },
): ReturnType<PreparedMigrations["compile"]> {
  const sqlite = database.dialect.name === "sqlite";
  const migratable = toMigratable(schema, { sqlite, fromVersion: range.from });
  const compiled = generator
    .get()
    .prepare(migratable, namespace)
    .compile(range.from, range.to, range.options);
  const { inMigration = (text: string): string => text } = extrasOf(schema);
  return {
    ...compiled,
    statements: compiled.statements.map((statement) =>
      Object.assign({}, statement, { sql: inMigration(statement.sql) }),
    ),
  };
}

async function execute(
  parts: MigrationParts,
  target: Target,
  wanted: { readonly to: number; readonly options: ExecuteOptions },
): Promise<void> {
  await parts.generator.load();
  // A schema's version is stored in Fragno's own tables.
  if (target.namespace !== INTERNAL_NAMESPACE && !(await hasSettings(parts.database))) {
    const { internal } = parts.generator.get();
    await execute(parts, internal, { to: internal.schema.version, options: undefined });
  }
  for (let look = 1; ; look += 1) {
    const version = await loadVersion(parts.database, target.namespace);
    if (version >= wanted.to) return;
    const range = { from: version, to: wanted.to, options: wanted.options };
    if (await apply(parts, target, range)) return;
    if (look >= MAX_LOOKS)
      throw new DatabaseError("DATABASE_UNAVAILABLE", "The database is too busy to migrate now");
  }
}

/** False if another process was faster. */
async function apply(
  parts: MigrationParts,
  target: Target,
  range: { readonly from: number; readonly to: number; readonly options: ExecuteOptions },
): Promise<boolean> {
  const { database } = parts;
  const { statements } = compileRange(parts, target, range);
  // Servers that speak SQLite over HTTP refuse pragmas, and foreign keys are not checked while tables are created.
  const texts = statements
    .map((statement) => statement.sql)
    .filter((text) => !/^pragma/iu.test(text));
  const isFirst = target.namespace === INTERNAL_NAMESPACE && range.from === 0;
  const batch = [
    ...toMigrationTurn(database.dialect),
    database.dialect.guard(
      GUARD,
      isFirst ? lacksSettings(database) : isAtVersion(target.namespace, range.from),
    ),
    ...texts,
    ...((await extrasOf(target.schema).afterMigration?.(database)) ?? []),
  ].map((text): Statement => ({ text, values: [] }));
  try {
    return (await batchWithRetry(database, batch)).kind === "committed";
  } catch (error) {
    // If a transaction has one snapshot (SERIALIZABLE), the guard cannot see that another process was first, but the tables show it.
    const version = await loadVersion(database, target.namespace);
    if (version >= range.to) return true;
    throw error;
  }
}

async function loadVersion(database: Database, namespace: string): Promise<number> {
  const recorded = (await readSchemaVersion(database, namespace)) ?? "0";
  if (/^\d+$/u.test(recorded)) return Number(recorded);
  throw new FragnoAdapterError(
    "SCHEMA_MISMATCH",
    `The recorded version of "${namespace}" is not a number`,
    { namespace, recorded },
  );
}

const isAtVersion = (namespace: string, version: number): string =>
  `coalesce((select "value" from "${SETTINGS_TABLE}" where "key" = '${toVersionKey(namespace).replaceAll("'", "''")}'), '0') = '${version}'`;

const lacksSettings = ({ dialect }: Database): string =>
  dialect.name === "postgres"
    ? `to_regclass('${SETTINGS_TABLE}') is null`
    : `not exists (select 1 from sqlite_master where type = 'table' and name = '${SETTINGS_TABLE}')`;

async function hasSettings(database: Database): Promise<boolean> {
  const text = `select case when ${lacksSettings(database)} then 0 else 1 end as "found"`;
  const rows = await read(database, { text, values: [] });
  return rows[0]?.["found"] === 1;
}

async function read(
  database: Database,
  statement: Statement,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await batchWithRetry(database, [statement]);
  if (result.kind === "committed") return result.rows[0] ?? [];
  throw new DatabaseError("DATABASE_UNAVAILABLE", `The database stayed too busy: ${result.kind}`);
}

/** The state of a database's schema, as the database reports it. */
import type { Database, Row } from "@escapement/db";
import type { Statement } from "@escapement/db/client";
import { WorkflowError } from "../../../core/errors.ts";
import { type FoundIndexes, INDEX_SET_KEY } from "./index-set.ts";
import type { MigrationSet } from "./migration-set.ts";
import { toSchemaMismatch } from "./schema-mismatch.ts";

export interface SchemaState {
  /** Fragno's settings table exists. */
  readonly hasSettings: boolean;
  /** The stored version of our tables; 0: none is stored. */
  readonly version: number;
  /** The stored set of indexes of the last migration; null: none is stored. */
  readonly indexSet: string | null;
  readonly indexes: FoundIndexes;
}

/** The state of a database that was never migrated. */
export const EMPTY_STATE: SchemaState = {
  hasSettings: false,
  version: 0,
  indexSet: null,
  indexes: new Map(),
};

/** Reads the state in one trip and writes nothing. @throws {DatabaseError} as `Database.batch` */
export async function loadSchemaState(database: Database, set: MigrationSet): Promise<SchemaState> {
  try {
    const result = await database.batch([
      selectSetting(set.versionRow.key),
      selectSetting(INDEX_SET_KEY),
      { text: INDEXES[database.dialect.name], values: [] },
    ]);
    if (result.kind !== "committed") {
      throw new WorkflowError(
        "STORE_UNAVAILABLE",
        `The schema version cannot be read now: ${result.kind}`,
      );
    }
    const [versions = [], indexSets = [], indexes = []] = result.rows;
    return {
      hasSettings: true,
      version: toVersion(versions[0]),
      indexSet: (indexSets[0]?.["value"] as string | undefined) ?? null,
      indexes: new Map(
        indexes.map(({ name, definition }) => [name as string, definition as string | null]),
      ),
    };
  } catch (error) {
    if (toSchemaMismatch(error) === null) throw error;
    return EMPTY_STATE;
  }
}

/** Reads the stored set of indexes of a database with Fragno's tables; null: none. @throws {DatabaseError} as `Database.batch` */
export async function loadIndexSet(database: Database): Promise<unknown> {
  const result = await database.batch([selectSetting(INDEX_SET_KEY)]);
  return result.kind === "committed" ? (result.rows[0]?.[0]?.["value"] ?? null) : null;
}

const selectSetting = (key: string): Statement => ({
  text: `select "value" from "fragno_db_settings" where "key" = '${key}'`,
  values: [],
});

// Postgres reports definitions in its own wording. No index there was ever redefined under an old name, so names are enough.
const INDEXES = {
  postgres:
    `select indexname as "name", null as "definition" from pg_indexes ` +
    `where schemaname = current_schema() and tablename like 'workflow%'`,
  sqlite: `select name as "name", sql as "definition" from sqlite_master where type = 'index' and tbl_name like 'workflow%'`,
};

/** Parses a version. Fragno stores versions as text; anything but a number is an error. */
function toVersion(row: Row | undefined): number {
  if (row === undefined) return 0;
  const version = Number(row["value"]);
  if (Number.isSafeInteger(version) && version >= 0) return version;
  throw new WorkflowError("SCHEMA_MISMATCH", "The recorded schema version is not a number", {
    recorded: String(row["value"]),
  });
}

/** What a database says about its own schema. */
import type { Database, Row, Statement } from "@escapement/db";
import { WorkflowError } from "../../../core/errors.ts";
import type { MigrationSet } from "./migration-set.ts";
import { toSchemaMismatch } from "./schema-mismatch.ts";

export interface SchemaState {
  /** Fragno's settings table exists. */
  readonly hasSettings: boolean;
  /** Recorded version of our tables; 0 when none is recorded. */
  readonly version: number;
  readonly hasPartialIndexes: boolean;
}

/** Reads the state in one trip and writes nothing. @throws {DatabaseError} as `Database.batch` */
export async function loadSchemaState(database: Database, set: MigrationSet): Promise<SchemaState> {
  try {
    const result = await database.batch([
      selectVersion(set),
      selectPartialIndexCount(database.dialect.name, set),
    ]);
    if (result.kind !== "committed") {
      throw new WorkflowError(
        "STORE_UNAVAILABLE",
        `The schema version cannot be read now: ${result.kind}`,
      );
    }
    const count = Number(result.rows[1]?.[0]?.["count"]);
    return {
      hasSettings: true,
      version: toVersion(result.rows[0]?.[0]),
      hasPartialIndexes: count >= set.partialIndexNames.length,
    };
  } catch (error) {
    if (toSchemaMismatch(error) === null) throw error;
    return { hasSettings: false, version: 0, hasPartialIndexes: false };
  }
}

function selectVersion(set: MigrationSet): Statement {
  return {
    text: `select "value" from "fragno_db_settings" where "key" = '${set.versionRow.key}'`,
    values: [],
  };
}

function selectPartialIndexCount(dialect: "postgres" | "sqlite", set: MigrationSet): Statement {
  const names = set.partialIndexNames.map((name) => `'${name}'`).join(", ");
  return {
    text:
      dialect === "postgres"
        ? `select count(*)::int as "count" from pg_indexes where schemaname = current_schema() and indexname in (${names})`
        : `select count(*) as "count" from sqlite_master where type = 'index' and name in (${names})`,
    values: [],
  };
}

/** Fragno records versions as text; anything but a count is not ours to guess at. */
function toVersion(row: Row | undefined): number {
  if (row === undefined) return 0;
  const version = Number(row["value"]);
  if (Number.isSafeInteger(version) && version >= 0) return version;
  throw new WorkflowError("SCHEMA_MISMATCH", "The recorded schema version is not a number", {
    recorded: String(row["value"]),
  });
}

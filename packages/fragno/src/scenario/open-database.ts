/** The database of a scenario: the one it was given, or embedded libSQL in memory. */
import type { Database } from "@escapement/db";
import type { ScenarioFragments } from "./fragments-builder.ts";
import type { ScenarioHarness } from "./types.ts";

interface OpenedDatabase {
  readonly database: Database;
  /** Closes what was opened here; what was given stays open. */
  close(): Promise<void>;
}

export async function openScenarioDatabase(
  given: ScenarioHarness<ScenarioFragments>["database"],
): Promise<OpenedDatabase> {
  if (given === undefined) return openInMemory();
  const database = typeof given === "function" ? await given() : given;
  return { database, close: async () => undefined };
}

/** Loaded only here: with a database of its own a scenario needs no libSQL. */
async function openInMemory(): Promise<OpenedDatabase> {
  const [{ default: Libsql }, { createSqliteDatabase }] = await Promise.all([
    import("libsql"),
    import("@escapement/db/sqlite"),
  ]);
  const database = createSqliteDatabase(new Libsql(":memory:"));
  return { database, close: () => database.close() };
}

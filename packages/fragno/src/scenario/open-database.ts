/** The database of a scenario: the given one, or embedded libSQL in memory. */
import type { Database } from "@escapement/db";
import type { ScenarioFragments } from "./fragments-builder.ts";
import type { ScenarioHarness } from "./types.ts";

interface OpenedDatabase {
  readonly database: Database;
  /** Closes a database that was opened here; a given one stays open. */
  close(): Promise<void>;
}

export async function openScenarioDatabase(
  given: ScenarioHarness<ScenarioFragments>["database"],
): Promise<OpenedDatabase> {
  if (given === undefined) return openInMemory();
  const database = typeof given === "function" ? await given() : given;
  return { database, close: async () => undefined };
}

/** Loaded only here, because a scenario with its own database needs no libSQL. */
async function openInMemory(): Promise<OpenedDatabase> {
  const [{ default: Libsql }, { createSqliteDatabase }] = await Promise.all([
    import("libsql"),
    import("@escapement/db/sqlite"),
  ]);
  const database = createSqliteDatabase(new Libsql(":memory:"));
  return { database, close: () => database.close() };
}

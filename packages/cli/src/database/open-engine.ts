/** @module An engine on a database without its code: it lists, explains and controls instances, and runs none. Loaded by `--db`. */
import type { Database } from "@escapement/db";
import { createEngine, defineTopic, defineWorkflow, type Engine } from "@escapement/engine";
import { assertMigrated, createSqlStore } from "@escapement/engine/store/sql";
import { RefusedError, tellFailures } from "../errors.ts";
import { type KnownNames, readKnownNames } from "./known-names.ts";
import { openDatabase, type OpenOptions } from "./open-database.ts";
import { toRefusal } from "./to-refusal.ts";

/**
 * The engine knows the workflows and topics with data in the database. Tables are not created or changed.
 *
 * @throws {RefusedError} SCHEMA_MISMATCH, STORE_UNAVAILABLE, DRIVER_MISSING, DATABASE_NOT_FOUND; {UsageError}
 */
export async function openEngine(db: string, options: OpenOptions): Promise<Engine> {
  const database = await openDatabase(db, options);
  try {
    await assertMigrated(database);
    return toEngine(database, await readKnownNames(database));
  } catch (error) {
    await database.close().catch(() => undefined);
    throw toRefusal(error);
  }
}

/** On Postgres, listening processes are notified of due work; on a file or a libSQL server, processes find it when they poll. */
function toEngine(database: Database, { workflows, topics, hasBulk }: KnownNames): Engine {
  return createEngine({
    workflows: Object.fromEntries(workflows.map((name) => [name, toPlaceholder(name)])),
    topics: topics.map((name) => defineTopic({ name })),
    // If there has been a job, processes run them.
    ...(hasBulk ? { bulk: true } : {}),
    // The engines that created them may allow longer names.
    limits: { maxWorkflowNameLength: Math.max(64, ...workflows.map(({ length }) => length)) },
    store: createSqlStore({ database, notify: database.dialect.name === "postgres" }),
    logger: { log: tellFailures },
  });
}

const toPlaceholder = (name: string) =>
  defineWorkflow({ name }, () => {
    throw new RefusedError("INVARIANT_BROKEN", "a command that steers runs no workflow");
  });

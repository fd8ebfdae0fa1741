/** @module An engine over a database without its code: it lists, explains and steers, and runs nothing. Loaded by `--db`. */
import type { Database } from "@escapement/db";
import { createEngine, defineTopic, defineWorkflow, type Engine } from "@escapement/engine";
import { assertMigrated, createSqlStore } from "@escapement/engine/store/sql";
import { RefusedError, tellFailures } from "../errors.ts";
import { type KnownNames, readKnownNames } from "./known-names.ts";
import { openDatabase, type OpenOptions } from "./open-database.ts";
import { toRefusal } from "./to-refusal.ts";

/**
 * The engine knows the workflows and topics that the database holds something of. Tables are not made or changed.
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

/** Who listens on Postgres is woken by what is due; a file's and a server's processes find it by their poll. */
function toEngine(database: Database, { workflows, topics, hasBulk }: KnownNames): Engine {
  return createEngine({
    workflows: Object.fromEntries(workflows.map((name) => [name, toPlaceholder(name)])),
    topics: topics.map((name) => defineTopic({ name })),
    // Where there has been a job, processes run them.
    ...(hasBulk ? { bulk: true } : {}),
    // The engines that made them may allow longer names.
    limits: { maxWorkflowNameLength: Math.max(64, ...workflows.map(({ length }) => length)) },
    store: createSqlStore({ database, notify: database.dialect.name === "postgres" }),
    logger: { log: tellFailures },
  });
}

const toPlaceholder = (name: string) =>
  defineWorkflow({ name }, () => {
    throw new RefusedError("INVARIANT_BROKEN", "a command that steers runs no workflow");
  });

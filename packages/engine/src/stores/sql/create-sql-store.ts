/** The store, with migrations by hand or before the first statement. */
import type { Database } from "@escapement/db";
import { WorkflowError } from "../../core/errors.ts";
import { assertKnownOptions } from "../../core/known-names.ts";
import type { Store } from "../../ports/store.ts";
import { migrate, type MigrateOptions, type MigrateResult } from "./migrate.ts";
import { migrateFirst, type Migrations } from "./migrate-first.ts";
import { createMigratedStore } from "./sql-store.ts";

/** Options of a SQL store: its database, and what to do about its tables. `indexes` and `logger` are for migrations. */
export interface SqlStoreOptions extends MigrateOptions {
  /** A client of `@escapement/db`. The store closes it. */
  readonly database: Database;
  /** What to do about the tables before the first statement. @default "none": call `migrate` first */
  readonly migrations?: Migrations;
  /**
   * On Postgres: notifies other processes of what this process makes due and does not run itself, in the same trip, and
   * listens in its loops with one more connection. What another process creates then starts at once, not at the next poll.
   * Set it in all processes of a database.
   *
   * Commits that notify wait for each other: if many processes create instances one by one on a disk that syncs slowly, you
   * lose a third of the creates. A transaction of your own that notifies cannot be prepared for two-phase commit. On a SQLite
   * file, loops notice other processes without it.
   *
   * @default false
   */
  readonly notify?: boolean;
}

/** A store on a SQL database. It connects with its first call. */
export interface SqlStore extends Store {
  /**
   * Migrates its database, whatever `migrations` says: for a script that runs before a deployment.
   *
   * @throws {WorkflowError} SCHEMA_MISMATCH, STORE_UNAVAILABLE; {DatabaseError} DATABASE_REJECTED
   */
  migrate(): Promise<MigrateResult>;
}

const SQL_STORE_OPTIONS: Readonly<Record<keyof SqlStoreOptions, 1>> = {
  database: 1,
  migrations: 1,
  notify: 1,
  indexes: 1,
  logger: 1,
};

/**
 * Creates a store on a client of `@escapement/db`, for a pool or connection that you have already: `createSqlStore({ database:
 * createPgDatabase({ pool }), migrations: "auto" })`. Otherwise call `postgres(url)` or `sqlite(file)`. Every operation is one batch, in
 * one trip.
 *
 * @throws {WorkflowError} UNKNOWN_OPTION, STORE_OPTIONS_INVALID
 */
export function createSqlStore(options: SqlStoreOptions): SqlStore {
  assertKnownOptions("createSqlStore", options, SQL_STORE_OPTIONS);
  const { database, migrations = "none", notify = false, ...others } = options;
  assertOneOf("migrations", migrations, ["auto", "check", "none"]);
  assertOneOf("indexes", others.indexes, ["full", "lean"]);
  const store = createMigratedStore({
    database: migrations === "none" ? database : migrateFirst(database, { ...others, migrations }),
    notify,
  });
  return { ...store, migrate: () => migrate(database, others) };
}

/** @param given undefined: the default @throws {WorkflowError} STORE_OPTIONS_INVALID — callers without types may give anything */
export function assertOneOf<T extends string>(
  option: string,
  given: T | undefined,
  expected: readonly [...T[], T],
): void {
  if (given === undefined || expected.includes(given)) return;
  const names = expected.map((name) => `"${name}"`);
  const list = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  throw invalidOptions(`the option "${option}" is ${JSON.stringify(given)}; expected ${list}`);
}

/** An error that names what is wrong with the options of a store. */
export const invalidOptions = (message: string): WorkflowError =>
  new WorkflowError("STORE_OPTIONS_INVALID", message);

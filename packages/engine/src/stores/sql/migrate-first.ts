/** Migrates or checks the tables before a database's first batch. */
import {
  type BatchOptions,
  type Dialect,
  type Listening,
  type BatchResult,
  DatabaseError,
  type Statement,
} from "@escapement/db/client";
import type { Database } from "@escapement/db";
import { WorkflowError } from "../../core/errors.ts";
import { toAccessRefused } from "./away.ts";
import { late } from "../../core/late.ts";
import type { MigrateOptions } from "./migrations/bring-to-version.ts";

const migrating = late(() => import("./migrations/bring-to-version.ts"));

/**
 * What to do about the tables before the first statement of a process. `auto`: create or upgrade them, which is safe in many
 * processes at once and takes one trip if they are current. `check`: one trip, and SCHEMA_MISMATCH if they are older or newer
 * than the code. `none`: nothing; a missing table or column gives SCHEMA_MISMATCH when a statement needs it.
 */
export type Migrations = "auto" | "check" | "none";

/** Options of `migrateFirst`. */
export interface MigrateFirstOptions extends MigrateOptions {
  readonly migrations: Exclude<Migrations, "none">;
}

/** Wraps a database so that its first batch waits for the tables. If that fails, the next batch tries again. */
export function migrateFirst(database: Database, options: MigrateFirstOptions): Database {
  return new MigratedDatabase(database, () => prepare(database, options));
}

class MigratedDatabase implements Database {
  readonly dialect: Dialect;
  readonly isSerial: boolean;
  readonly isLocal: boolean;
  readonly billsRows: boolean;
  readonly listen?: (listening: Listening) => () => void;
  readonly #database: Database;
  readonly #prepare: () => Promise<void>;
  #isReady = false;
  #preparing: Promise<void> | null = null;

  constructor(database: Database, prepareTables: () => Promise<void>) {
    this.dialect = database.dialect;
    this.isSerial = database.isSerial ?? false;
    this.isLocal = database.isLocal ?? false;
    this.billsRows = database.billsRows ?? false;
    if (database.listen !== undefined) this.listen = database.listen.bind(database);
    this.#database = database;
    this.#prepare = prepareTables;
  }

  batch(statements: readonly Statement[], options?: BatchOptions): Promise<BatchResult> {
    if (this.#isReady) return this.#database.batch(statements, options);
    return this.#batchOnceReady(statements, options);
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #batchOnceReady(
    statements: readonly Statement[],
    options?: BatchOptions,
  ): Promise<BatchResult> {
    await (this.#preparing ??= this.#becomeReady());
    return this.#database.batch(statements, options);
  }

  async #becomeReady(): Promise<void> {
    try {
      await this.#prepare();
      this.#isReady = true;
    } finally {
      this.#preparing = null;
    }
  }
}

/** @throws {WorkflowError} SCHEMA_MISMATCH, STORE_UNAVAILABLE, STORE_OPTIONS_INVALID */
async function prepare(database: Database, options: MigrateFirstOptions): Promise<void> {
  const { assertVersion, ensureVersion } = await migrating();
  try {
    await (options.migrations === "check"
      ? assertVersion(database)
      : ensureVersion(database, options));
  } catch (error) {
    if (!DatabaseError.is(error)) throw error;
    throw toAccessRefused(error) ?? toTablesRefused(error);
  }
}

const toTablesRefused = (error: DatabaseError): WorkflowError =>
  new WorkflowError(
    "SCHEMA_MISMATCH",
    `the workflow tables cannot be created or read: ${error.message}; grant the user the missing rights, or run \`escapement migrate\` as a user who has them and set migrations: "check"`,
    {},
    error,
  );

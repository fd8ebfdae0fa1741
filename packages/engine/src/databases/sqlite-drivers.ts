/** Opens a SQLite file with a driver that this runtime has. */
import type { Database } from "@escapement/db";
import { createBunSqliteDatabase } from "@escapement/db/bun-sqlite";
import { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { WorkflowError } from "../core/errors.ts";
import { invalidOptions } from "../stores/sql/create-sql-store.ts";

/** Pragmas to set besides those that every file gets. */
export type Pragmas = NonNullable<Parameters<typeof applyRecommendedPragmas>[1]>;

/** The class of a driver whose connections a client accepts. */
type Open<Client extends (connection: never) => Database> = new (
  file: string,
) => Parameters<Client>[0];
type Opener = (file: string, pragmas: Pragmas) => Database | null;

/**
 * Picks the fastest driver that is there. `libsql` takes a third to a half of the time of `node:sqlite` (a workflow of three steps,
 * Node 24.21, 2026-11), and nobody installs it by accident.
 *
 * @throws {WorkflowError} STORE_OPTIONS_INVALID — there is no driver; STORE_UNAVAILABLE — the file's folder does not exist, or the
 * file cannot be opened
 */
export async function openSqliteFile(file: string, pragmas: Pragmas): Promise<Database> {
  const failures: unknown[] = [];
  for (const load of "Bun" in globalThis ? [loadBun] : [loadLibsql, loadNode]) {
    const open = await load().catch((error: unknown) => void failures.push(error));
    const database = open && (await openIn(file, () => open(file, pragmas)));
    if (database) return database;
  }
  const reasons = failures.map((failure) => String(failure).split("\n")[0]).join("; ");
  throw invalidOptions(
    `no driver for SQLite can be loaded: install the package libsql, or use Node 22.16 or newer (${reasons})`,
  );
}

/** Drivers do not say that the folder is missing. */
async function openIn(file: string, open: () => Database | null): Promise<Database | null> {
  try {
    return open();
  } catch (error) {
    const { dirname } = await load<{ dirname(path: string): string }>("node:path");
    const { existsSync } = await load<{ existsSync(path: string): boolean }>("node:fs");
    const folder = dirname(file);
    const reason = existsSync(folder)
      ? `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}; expected a SQLite file that this process may read and write, in a folder that it may write to`
      : `its folder ${folder} does not exist`;
    const message = `The database cannot be reached: ${reason}`;
    throw new WorkflowError("STORE_UNAVAILABLE", message, {}, error);
  }
}

async function loadBun(): Promise<Opener> {
  const { Database } = await load<{ Database: Open<typeof createBunSqliteDatabase> }>("bun:sqlite");
  return (file, pragmas) => createBunSqliteDatabase(withPragmas(new Database(file), pragmas));
}

async function loadLibsql(): Promise<Opener> {
  const { default: Libsql } = await load<{ default: Open<typeof createSqliteDatabase> }>("libsql");
  return (file, pragmas) => createSqliteDatabase(withPragmas(new Libsql(file), pragmas));
}

async function loadNode(): Promise<Opener> {
  const { DatabaseSync } = await load<{ DatabaseSync: Open<typeof createNodeSqliteDatabase> }>(
    "node:sqlite",
  );
  return (file, pragmas) => {
    const connection = new DatabaseSync(file);
    // Before Node 22.16, it does not tell whether a transaction is open.
    if (Reflect.has(connection, "isTransaction"))
      return createNodeSqliteDatabase(withPragmas(connection, pragmas));
    connection.close();
    return null;
  };
}

function withPragmas<Connection extends Parameters<typeof applyRecommendedPragmas>[0]>(
  connection: Connection,
  pragmas: Pragmas,
): Connection {
  applyRecommendedPragmas(connection, pragmas);
  return connection;
}

/** Hides the import from bundlers, because only the runtime knows which driver it has. */
const load = async <Module>(name: string): Promise<Module> =>
  (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Module;

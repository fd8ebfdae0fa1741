/** Opens the database that `--db` names, without changing it or creating tables. */
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Database } from "@escapement/db";
import type { createNodeSqliteDatabase } from "@escapement/db/node-sqlite";
import { RefusedError, UsageError } from "../errors.ts";
import { findDriver, importDriver } from "./drivers.ts";
import { toRefusal } from "./to-refusal.ts";

/** Options for opening a database. */
export interface OpenOptions {
  /** The token of a libSQL server. */
  readonly token?: string | undefined;
  /** The longest wait for an answer, in seconds. */
  readonly timeout: number;
}

const KINDS =
  "postgres://user@host/database, libsql:// or http(s):// of a libSQL server, or the path of a SQLite file";

/**
 * @throws {UsageError} it does not name a database; the message does not repeat it @throws {RefusedError} DRIVER_MISSING,
 * DATABASE_NOT_FOUND, DATABASE_UNAVAILABLE
 */
export async function openDatabase(db: string, options: OpenOptions): Promise<Database> {
  try {
    return await open(db, options);
  } catch (error) {
    // Some drivers check their arguments at once: a folder, a file that may not be read, parts of a URL.
    throw toRefusal(error);
  }
}

function open(db: string, options: OpenOptions): Promise<Database> {
  if (db.trim() === "")
    throw new UsageError("no database was given; is the environment variable set?");
  const [, scheme = ""] = /^([a-z][a-z+]+):/i.exec(db) ?? [];
  switch (scheme.toLowerCase()) {
    case "":
      return openFile(db, options);
    case "file":
      return openFile(toPath(db), options);
    case "postgres":
    case "postgresql":
      return openPostgres(db, options);
    case "libsql":
    case "http":
    case "https":
    case "ws":
    case "wss":
      return openServer(db, options);
    default:
      throw new UsageError(`--db must be ${KINDS}`);
  }
}

/** The path in the forms of file URLs that tools write: `file:data.db`, `file:///data.db`. */
function toPath(url: string): string {
  if (!url.startsWith("file://")) return url.slice("file:".length);
  if (!URL.canParse(url)) throw new UsageError(`--db must be ${KINDS}`);
  return fileURLToPath(url);
}

/** Each statement runs once, so none is prepared, and no pooler can mix them up. */
async function openPostgres(url: string, { timeout }: OpenOptions): Promise<Database> {
  // A URL cannot have a user without a host, but that is common if `?host=` names the folder of a socket.
  if (!URL.canParse(url.replace("@/", "@socket/")))
    throw new UsageError(
      "--db cannot be read: percent-encode the special characters in its password",
    );
  const { createPgDatabase } = await importDriver("@escapement/db/pg", "pg");
  const timeoutMs = timeout * 1000;
  return createPgDatabase({
    connectionString: url,
    max: 2,
    preparedStatements: false,
    connectionTimeoutMs: timeoutMs,
    batchTimeoutMs: timeoutMs,
  });
}

async function openServer(url: string, { token, timeout }: OpenOptions): Promise<Database> {
  if (!URL.canParse(url)) throw new UsageError(`--db must be ${KINDS}`);
  const { createLibsqlDatabase } = await importDriver("@escapement/db/libsql", "@libsql/client");
  const { createClient } = await importDriver("@libsql/client/web", "@libsql/client");
  const client = createClient(token === undefined ? { url } : { url, authToken: token });
  return createLibsqlDatabase(client, { batchTimeoutMs: timeout * 1000 });
}

/** A missing file is not created, because it would be an empty database. */
async function openFile(path: string, options: OpenOptions): Promise<Database> {
  assertFile(path);
  const libsql = await findDriver("libsql");
  const node = libsql === null ? nodeSqlite() : null;
  if (node !== null) {
    const { createNodeSqliteDatabase: create } = await import("@escapement/db/node-sqlite");
    return create(waiting(new node.DatabaseSync(path), options));
  }
  const { default: Libsql } = libsql ?? (await importDriver("libsql", "libsql"));
  const { createSqliteDatabase } = await import("@escapement/db/sqlite");
  return createSqliteDatabase(waiting(new Libsql(path), options));
}

function assertFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const isFolder = found?.isDirectory() === true;
  if (found !== undefined && !isFolder) return;
  const message = isFolder ? `${path} is a folder: name a file in it` : `there is no file ${path}`;
  throw new RefusedError("DATABASE_NOT_FOUND", message);
}

interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => Parameters<typeof createNodeSqliteDatabase>[0];
}

/** null: not there, or older than Node 22.16, which does not tell whether a transaction is open. */
function nodeSqlite(): NodeSqlite | null {
  const node = process.getBuiltinModule("node:sqlite") as unknown as NodeSqlite | undefined;
  const tells =
    node !== undefined && Reflect.has(node.DatabaseSync.prototype as object, "isTransaction");
  return tells ? node : null;
}

/** Sets only the connection's wait for other writers; settings that the file stores stay as they are. */
function waiting<Connection extends { prepare(text: string): { all(parameters: never): unknown } }>(
  connection: Connection,
  { timeout }: OpenOptions,
): Connection {
  const milliseconds = Math.min(Math.trunc(timeout * 1000), 10_000);
  connection.prepare(`pragma busy_timeout = ${milliseconds}`).all([] as never);
  return connection;
}

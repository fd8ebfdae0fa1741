/** Real databases for the tests of this folder, and fragments on them. */
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { PGlite } from "@electric-sql/pglite";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import type { Database, Row } from "@escapement/db";
import type { SqlValue } from "@escapement/db/client";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgliteDatabase } from "@escapement/db/pglite";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";

/** A database of one test file. */
export interface TestServer {
  /** A new client; `options` are libpq settings, only on Postgres. */
  readonly open: (options?: string) => Database;
  /** Ends the clients and removes the database. */
  readonly drop: () => Promise<void>;
}

export interface TestServerKind {
  readonly name: string;
  readonly start: () => Promise<TestServer>;
}

function toServer(open: TestServer["open"], remove: () => unknown): TestServer {
  const clients: Database[] = [];
  return {
    open(options) {
      const client = open(options);
      clients.push(client);
      return client;
    },
    async drop() {
      await Promise.all(clients.map((client) => client.close()));
      await remove();
    },
  };
}

export const POSTGRES: TestServerKind = {
  name: "Postgres",
  async start() {
    const { url, drop } = await createPostgresDatabase();
    const open = (options?: string): Database => {
      const address = new URL(url);
      if (options !== undefined) address.searchParams.set("options", options);
      return createPgDatabase({ connectionString: address.href, max: 12 });
    };
    return toServer(open, drop);
  },
};

export const EMBEDDED: TestServerKind = {
  name: "embedded libSQL",
  start() {
    const directory = temporaryDirectory();
    const open = (): Database => {
      const connection = new Libsql(`${directory.path}/fragno.db`);
      applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
      return createSqliteDatabase(connection);
    };
    return Promise.resolve(toServer(open, () => directory.remove()));
  },
};

/** Postgres inside the process; it decodes values differently from the server's driver. */
export const PGLITE: TestServerKind = {
  name: "PGlite",
  async start() {
    const pglite = await PGlite.create();
    return toServer(
      () => createPgliteDatabase(pglite),
      () => undefined,
    );
  },
};

const SQLD: TestServerKind = {
  name: "sqld",
  async start() {
    const server = await startSqld();
    return toServer(
      () => createLibsqlDatabase(createClient({ url: server.url })),
      () => server.stop(),
    );
  },
};

/** Databases with different storage: Postgres, a file, and a server that speaks SQLite over HTTP. */
export const SERVERS: readonly TestServerKind[] = [
  POSTGRES,
  EMBEDDED,
  ...(sqldAvailable() ? [SQLD] : []),
];

/** The rows of one statement, directly from the database. */
export async function query(
  database: Database,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  const result = await database.batch([{ text, values }]);
  return result.kind === "committed" ? (result.rows[0] ?? []) : [];
}

/** The database, with its trips and statements counted. */
export interface CountedDatabase extends Database {
  readonly sent: { trips: number; statements: number };
}

export function countTrips(database: Database): CountedDatabase {
  const sent = { trips: 0, statements: 0 };
  return {
    dialect: database.dialect,
    sent,
    batch(statements) {
      if (statements.length > 0) sent.trips += 1;
      sent.statements += statements.length;
      return database.batch(statements);
    },
    close: () => database.close(),
  };
}

/** A database whose clock tests can move with `advance`. */
export interface MovedDatabase extends Database {
  advance(ms: number): void;
}

export function withMovableClock(database: Database): MovedDatabase {
  let aheadMs = 0;
  const { dialect } = database;
  return {
    dialect: {
      ...dialect,
      get now() {
        return dialect.plusMs(dialect.now, String(aheadMs));
      },
      get nowMs() {
        return `(${dialect.nowMs} + ${aheadMs})`;
      },
    },
    advance(ms) {
      aheadMs += ms;
    },
    batch: (statements) => database.batch(statements),
    close: () => database.close(),
  };
}

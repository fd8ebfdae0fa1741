/** Stores of every kind, whose time the tests move. */
import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore, migrate } from "@escapement/engine/store/sql";
import { createFakeTime, type HarnessOptions, withVirtualClock } from "@escapement/engine/testing";
import { createClient } from "@libsql/client";
import Libsql from "libsql";

/** A store, and its clock. */
export type Timed = NonNullable<HarnessOptions<never>["store"]> & { close(): Promise<void> };

async function openSql(plain: Database, remove: () => Promise<void> | void): Promise<Timed> {
  await migrate(plain);
  const { database, clock } = await withVirtualClock(plain);
  const store = createSqlStore({ database });
  const close = async (): Promise<void> => {
    await store.close();
    await remove();
  };
  return { store, clock, close };
}

/** Opens a new, empty one. */
export const openMemory = async (): Promise<Timed> => {
  const time = createFakeTime();
  return { store: createMemoryStore({ now: time.now }), clock: time, close: async () => {} };
};

export const openLibsql = (): Promise<Timed> => {
  const directory = temporaryDirectory();
  const connection = new Libsql(`${directory.path}/store.db`);
  applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
  return openSql(createSqliteDatabase(connection), () => directory.remove());
};

export const openPostgres = async (): Promise<Timed> => {
  const { url, drop } = await createPostgresDatabase();
  return openSql(createPgDatabase({ connectionString: url, max: 4 }), drop);
};

export const openSqld = async (): Promise<Timed> => {
  const server = await startSqld();
  return openSql(createLibsqlDatabase(createClient({ url: server.url })), () => server.stop());
};

const hasServers = process.env["ESCAPEMENT_TEST_SERVERS"] !== "0";
if (!hasServers) console.warn("SKIPPED: moves to and from servers; ESCAPEMENT_TEST_SERVERS is 0");

/** Every kind of store that can be opened here. */
export const STORES: Readonly<Record<string, () => Promise<Timed>>> = {
  memory: openMemory,
  libSQL: openLibsql,
  ...(hasServers ? { Postgres: openPostgres } : {}),
  ...(hasServers && sqldAvailable() ? { sqld: openSqld } : {}),
};

/** Whether a store is reached over a network. */
export const isServer = (name: string): boolean => name === "Postgres" || name === "sqld";

/** Every kind to every kind. */
export const PAIRS: readonly (readonly [from: string, to: string])[] = Object.keys(STORES).flatMap(
  (from) => Object.keys(STORES).map((to) => [from, to] as const),
);

export const open = (name: string): Promise<Timed> => {
  const store = STORES[name];
  if (store === undefined) throw new RangeError(`there is no store ${name}`);
  return store();
};

/** Stores whose clocks tests can move: in memory, and opened as `sqlite` and `postgres` open them. */
import {
  createPostgresDatabase,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { sqliteDialect } from "@escapement/db/client";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { createClient } from "@libsql/client";
import { createMemoryStore } from "../stores/memory/index.ts";
import { createFakeTime } from "../testing/fake-time.ts";
import type { HarnessOptions } from "../testing/harness.ts";
import { createSqlStoreFixture } from "../testing/sql-store-fixture.ts";
import { openLater } from "./open-later.ts";
import { openSqliteFile } from "./sqlite-drivers.ts";
import { toStore } from "./store-options.ts";

/** A store, its clock, and the function that removes it. */
export type TimedStore = NonNullable<HarnessOptions<never>["store"]> & {
  teardown(): Promise<void>;
};

type SqlFixture = ReturnType<typeof createSqlStoreFixture>;

export async function openMemoryStore(): Promise<TimedStore> {
  const time = createFakeTime();
  return { store: createMemoryStore({ now: time.now }), clock: time, teardown: async () => {} };
}

/** A store on its own file. */
export function openSqliteStore(): SqlFixture {
  const directory = temporaryDirectory();
  const open = () => openSqliteFile(`${directory.path}/store.db`, { synchronous: "NORMAL" });
  return createSqlStoreFixture({
    open: () => openLater({ dialect: sqliteDialect, isSerial: true, open }),
    remove: () => directory.remove(),
    toStore: (database) => toStore(database, {}),
  });
}

/** A store on its own database. */
export async function openPostgresStore(): SqlFixture {
  const { url, drop } = await createPostgresDatabase();
  return createSqlStoreFixture({
    open: () => createPgDatabase({ connectionString: url, max: 4 }),
    remove: drop,
    toStore: (database) => toStore(database, {}),
  });
}

/** A store on its own server. */
export async function openSqldStore(): SqlFixture {
  const server = await startSqld();
  return createSqlStoreFixture({
    open: () => createLibsqlDatabase(createClient({ url: server.url })),
    remove: () => server.stop(),
    toStore: (database) => toStore(database, {}),
  });
}

/** The stores that need no server. */
export const LOCAL_STORES: readonly (readonly [string, () => Promise<TimedStore>])[] = [
  ["memory", openMemoryStore],
  ["SQLite", openSqliteStore],
];

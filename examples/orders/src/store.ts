/** The database of the demo: an embedded file, a libSQL server or Postgres. */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createClient } from "@libsql/client";
import LibsqlConnection from "libsql";

/** Where the instances live. */
export type StorePlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "libsql" | "postgres"; readonly url: string };

/** Opens the database; several processes may have it open. */
export function openDatabase(place: StorePlace): Database {
  switch (place.kind) {
    case "postgres":
      return createPgDatabase({ connectionString: place.url });
    case "libsql":
      return createLibsqlDatabase(createClient({ url: place.url }));
    case "file": {
      const connection = new LibsqlConnection(place.path);
      // WAL and synchronous FULL: a commit survives a power cut.
      applyRecommendedPragmas(connection);
      return createSqliteDatabase(connection);
    }
  }
}

/** For people; without passwords. */
export function describePlace(place: StorePlace): string {
  if (place.kind === "file") return `embedded libSQL file ${place.path}`;
  const { host, pathname } = new URL(place.url);
  return place.kind === "libsql" ? `libSQL server ${host}` : `Postgres ${host}${pathname}`;
}

const SUFFIX = ".trips";

/**
 * Counts the batches of a database in a file of this process: one batch is one trip. The number is with the operating
 * system before the batch is, so a kill loses none.
 */
export function countTrips(database: Database, folder: string): Database {
  const file = openSync(join(folder, `${Date.now()}-${process.pid}${SUFFIX}`), "w");
  let count = 0;
  return {
    dialect: database.dialect,
    batch: (statements) => {
      count += 1;
      writeSync(file, String(count), 0);
      return database.batch(statements);
    },
    close: async () => {
      await database.close();
      closeSync(file);
    },
  };
}

/** Trips of all processes that counted in the folder. */
export function readTrips(folder: string): number {
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .reduce((sum, name) => sum + Number(readFileSync(join(folder, name), "utf8")), 0);
}

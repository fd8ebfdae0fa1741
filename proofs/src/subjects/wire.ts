/** Databases behind a proxy that counts what goes over the wire. */
import { startHttpProxy, startPostgresProxy } from "@escapement-internal/test-servers";
import { createSqlStore } from "@escapement/engine/store/sql";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { openDatabase } from "./open-database.ts";
import { POSTGRES, SQLD } from "./test-database.ts";

export interface Wire {
  readonly name: string;
  readonly isAvailable: boolean;
  open(): Promise<WiredStore>;
}

export interface WiredStore {
  readonly store: Store;
  /** On the same database, past the proxy. */
  readonly uncounted: Store;
  /** Round trips since the last call. */
  takeTrips(): number;
  close(): Promise<void>;
}

const POSTGRES_WIRES = [false, true].map((preparedStatements): Wire => {
  const name = `pg, ${preparedStatements ? "named" : "unnamed"} statements`;
  return { name, isAvailable: true, open: () => openPostgres(preparedStatements) };
});

/** In the order of the table's columns. */
export const WIRES: readonly Wire[] = [
  ...POSTGRES_WIRES,
  { name: "libSQL over HTTP", isAvailable: SQLD.isAvailable, open: openSqld },
];

async function openPostgres(preparedStatements: boolean): Promise<WiredStore> {
  const subject = await POSTGRES.open();
  const proxy = await startPostgresProxy(subject.url);
  const database = await openDatabase(proxy.url, { preparedStatements });
  const store = createSqlStore({ database });
  const uncounted = createSqlStore({ database: await openDatabase(subject.url) });
  return {
    store,
    uncounted,
    takeTrips() {
      const { trips } = proxy.stats();
      proxy.reset();
      return trips;
    },
    async close() {
      await Promise.all([store.close(), uncounted.close()]);
      await proxy.stop();
      await subject.remove();
    },
  };
}

async function openSqld(): Promise<WiredStore> {
  const subject = await SQLD.open();
  const proxy = await startHttpProxy(subject.url);
  const store = createSqlStore({ database: await openDatabase(proxy.url) });
  const uncounted = createSqlStore({ database: await openDatabase(subject.url) });
  return {
    store,
    uncounted,
    takeTrips() {
      const { requests } = proxy.stats();
      proxy.reset();
      return requests;
    },
    async close() {
      await Promise.all([store.close(), uncounted.close()]);
      await proxy.stop();
      await subject.remove();
    },
  };
}

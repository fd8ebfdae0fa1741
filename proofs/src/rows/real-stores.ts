/** The stores on which rows are proven over HTTP and by whole runs: memory, a file and Postgres. */
import type { Database } from "@escapement/db";
import { createMemoryStore } from "@escapement/engine/store/memory";
import { createSqlStore } from "@escapement/engine/store/sql";
import type { Store } from "../../../packages/engine/src/ports/store.ts";
import { openDatabase } from "../subjects/open-database.ts";
import { EMBEDDED, POSTGRES, type SubjectKind } from "../subjects/test-database.ts";

export interface RealStore {
  readonly store: Store;
  /** Another connection to the same tables, to look into them; null in memory. */
  readonly database: Database | null;
  close(): Promise<void>;
}

export interface RealStoreKind {
  readonly name: string;
  /** Opens an empty store. */
  open(): Promise<RealStore>;
}

const MEMORY: RealStoreKind = {
  name: "memory",
  open: () =>
    Promise.resolve({ store: createMemoryStore(), database: null, close: () => Promise.resolve() }),
};

/** The same over a database of its own. */
export function overSql(kind: SubjectKind): RealStoreKind {
  return {
    name: kind.name,
    async open() {
      const subject = await kind.open();
      const database = await openDatabase(subject.url, { maxConnections: 4 });
      return {
        store: createSqlStore({ database }),
        database,
        async close() {
          await database.close();
          await subject.remove();
        },
      };
    },
  };
}

export const REAL_STORES: readonly RealStoreKind[] = [MEMORY, overSql(EMBEDDED), overSql(POSTGRES)];

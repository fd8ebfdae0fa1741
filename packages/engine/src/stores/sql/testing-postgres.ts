/** A store on a Postgres of its own, and what is seen of its rows and locks from beside it. */
import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createPgDatabase } from "@escapement/db/pg";
import pg from "pg";
import { vi } from "vitest";
import type { Store } from "../../ports/store.ts";
import { createSqlStore, migrate } from "./index.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface PostgresScene {
  readonly store: Store;
  /** Of the store, so far. */
  tripCount(): number;
  /** A connection beside the store. */
  readonly beside: pg.Client;
  rowsOf(table: "task" | "instance" | "step" | "event"): Promise<readonly Row[]>;
  /** A statement of the store waits for a lock. */
  untilWaiting(): Promise<void>;
  close(): Promise<void>;
}

export async function openPostgresScene(): Promise<PostgresScene> {
  const { url, drop } = await createPostgresDatabase();
  const database = createPgDatabase({ connectionString: url, max: 3 });
  await migrate(database);
  const [beside, watching] = [0, 1].map(() => new pg.Client({ connectionString: url }));
  if (beside === undefined || watching === undefined) throw new TypeError("two connections");
  for (const client of [beside, watching]) await client.connect();
  const read = async (text: string): Promise<readonly Row[]> =>
    (await watching.query<Row>(text)).rows;
  let trips = 0;
  const batch: Database["batch"] = (...given) => {
    trips += 1;
    return database.batch(...given);
  };
  return {
    store: createSqlStore({
      database: { dialect: database.dialect, batch, close: () => database.close() },
    }),
    tripCount: () => trips,
    beside,
    rowsOf: (table) => read(`select * from "workflow_${table}_workflows" order by "id"`),
    untilWaiting: () =>
      vi.waitUntil(
        async () =>
          (
            await read(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).length > 0,
        { timeout: 60_000, interval: 10 },
      ) as Promise<never>,
    async close() {
      for (const client of [beside, watching]) await client.end();
      await database.close();
      await drop();
    },
  };
}

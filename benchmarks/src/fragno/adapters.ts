/** Fragno's published adapter and ours, on Postgres through `pg`. */
import { createFragnoAdapter } from "@escapement/fragno";
import { createPgDatabase } from "@escapement/db/pg";
import type { DatabaseAdapter } from "@fragno-dev/db";
import { KyselyAdapter } from "@fragno-dev/db/adapters/kysely";
import { NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import { PostgresDialect } from "kysely";
import pg from "pg";
import { installRuntimeShims } from "../../../packages/fragno/src/adapter/runtime-shims.ts";
import { CONNECTIONS } from "../sizes.ts";

export interface OpenAdapter {
  readonly adapter: DatabaseAdapter<object>;
  close(): Promise<void>;
}

/** As Fragno's documentation sets it up. */
export function openStockAdapter(url: string): OpenAdapter {
  // Without it nothing of the library runs on Node 20.
  installRuntimeShims();
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const adapter = new KyselyAdapter({
    dialect: new PostgresDialect({ pool }),
    driverConfig: new NodePostgresDriverConfig(),
  });
  return { adapter, close: () => pool.end() };
}

export function openOurAdapter(url: string): OpenAdapter {
  const options = { connectionString: url, max: CONNECTIONS, preparedStatements: true };
  const database = createPgDatabase(options);
  return { adapter: createFragnoAdapter({ database }), close: () => database.close() };
}

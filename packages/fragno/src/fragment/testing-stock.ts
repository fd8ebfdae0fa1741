/** For tests of Fragno's own published adapters: one on a server, one on a file. */
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { GenericSQLAdapter } from "@fragno-dev/db/adapters/generic-sql";
import { KyselyAdapter } from "@fragno-dev/db/adapters/kysely";
import { PostgresDialect, SqliteDialect } from "@fragno-dev/db/dialects";
import { BetterSQLite3DriverConfig, NodePostgresDriverConfig } from "@fragno-dev/db/drivers";
import Libsql from "libsql";
import { Pool } from "pg";

export interface Stock {
  readonly adapter: GenericSQLAdapter;
  readonly close: () => Promise<void>;
}

export const STOCK_KINDS: readonly {
  readonly name: string;
  readonly open: () => Promise<Stock>;
}[] = [
  {
    name: "KyselyAdapter on Postgres",
    async open() {
      const { url, drop } = await createPostgresDatabase();
      const pool = new Pool({ connectionString: url, max: 4 });
      // Dropping the database ends all open connections.
      pool.on("connect", (client) => client.on("error", () => undefined));
      pool.on("error", () => undefined);
      const dialect = new PostgresDialect({ pool });
      const adapter = new KyselyAdapter({ dialect, driverConfig: new NodePostgresDriverConfig() });
      return {
        adapter,
        close: async () => {
          await adapter.close();
          await drop();
        },
      };
    },
  },
  {
    name: "GenericSQLAdapter on a file",
    async open() {
      const directory = temporaryDirectory();
      const dialect = new SqliteDialect({ database: new Libsql(`${directory.path}/stock.db`) });
      const adapter = new GenericSQLAdapter({
        dialect,
        driverConfig: new BetterSQLite3DriverConfig(),
      });
      return {
        adapter,
        close: async () => {
          await adapter.close();
          directory.remove();
        },
      };
    },
  },
];

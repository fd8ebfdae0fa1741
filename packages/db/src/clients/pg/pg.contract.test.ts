import { createPostgresDatabase } from "@escapement-internal/test-servers";
import type { Database } from "../../batch.ts";
import { describeDatabaseContract } from "../../testing/index.ts";
import { createPgDatabase } from "./index.ts";

for (const preparedStatements of [false, true]) {
  describeDatabaseContract({
    name: `pg, ${preparedStatements ? "prepared" : "unnamed"} statements`,
    async setup() {
      const server = await createPostgresDatabase();
      const connect = (): Database =>
        createPgDatabase({ connectionString: server.url, max: 10, preparedStatements });
      const database = connect();
      return {
        database,
        open: () => Promise.resolve(connect()),
        async teardown() {
          await database.close();
          await server.drop();
        },
      };
    },
  });
}

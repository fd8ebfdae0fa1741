import { join } from "node:path";
import { temporaryDirectory } from "@escapement-internal/test-servers";
import LibsqlConnection from "libsql";
import type { Database } from "../batch.ts";
import { describeDatabaseContract } from "../testing/index.ts";
import { applyRecommendedPragmas, createSqliteDatabase } from "./sqlite.ts";

describeDatabaseContract({
  name: "libsql, embedded and synchronous",
  setup() {
    const directory = temporaryDirectory();
    const connect = (): Database => {
      const connection = new LibsqlConnection(join(directory.path, "data.db"));
      applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
      return createSqliteDatabase(connection);
    };
    const database = connect();
    return Promise.resolve({
      database,
      open: () => Promise.resolve(connect()),
      async teardown() {
        await database.close();
        directory.remove();
      },
    });
  },
});

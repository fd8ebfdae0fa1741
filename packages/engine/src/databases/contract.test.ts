/** Nobody migrates here: the stores do. Time is the test's, so the databases are opened as `postgres` and `sqlite` open them. */
import { createPostgresDatabase, temporaryDirectory } from "@escapement-internal/test-servers";
import { sqliteDialect } from "@escapement/db/client";
import { createPgDatabase } from "@escapement/db/pg";
import { createSqlStoreFixture } from "../testing/sql-store-fixture.ts";
import { describeStoreContract } from "../testing/store-contract/contract.ts";
import { openLater } from "./open-later.ts";
import { openSqliteFile } from "./sqlite-drivers.ts";
import { toStore } from "./store-options.ts";

const ALL_CAPABILITIES = {
  severalStores: true,
  outsideWrites: true,
  commitsForeignWrites: true,
} as const;

describeStoreContract({
  name: "postgres(url)",
  capabilities: ALL_CAPABILITIES,
  async setup() {
    const { url, drop } = await createPostgresDatabase();
    return createSqlStoreFixture({
      open: () => createPgDatabase({ connectionString: url, max: 4 }),
      remove: drop,
      toStore: (database) => toStore(database, {}),
    });
  },
});

describeStoreContract({
  name: "sqlite(file)",
  capabilities: ALL_CAPABILITIES,
  setup() {
    const directory = temporaryDirectory();
    const open = () => openSqliteFile(`${directory.path}/store.db`, { synchronous: "NORMAL" });
    return createSqlStoreFixture({
      open: () => openLater({ dialect: sqliteDialect, isSerial: true, open }),
      remove: () => directory.remove(),
      toStore: (database) => toStore(database, {}),
    });
  },
});

